// Package onnx reads as much of an ONNX model file as is needed to take the weights out of it: nodes with their
// attributes, nested subgraphs and float tensors. It runs nothing, keeps no reference to the input, and is safe for concurrent use.
package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// ErrMalformed reports bytes that are not an ONNX model.
var ErrMalformed = errors.New("malformed ONNX model")

// maxDepth limits the nesting of subgraphs, so that hostile input cannot exhaust the stack.
const maxDepth = 16

// Field numbers and enum values from onnx.proto3 (ONNX IR specification, version 8).
const (
	modelGraph = 7

	graphNode = 1

	nodeOutput    = 2
	nodeOpType    = 4
	nodeAttribute = 5

	attrName   = 1
	attrTensor = 5
	attrGraph  = 6

	tensorDims    = 1
	tensorType    = 2
	tensorName    = 8
	tensorRawData = 9

	typeFloat = 1
)

// Graph is a list of nodes in execution order.
type Graph struct {
	Nodes []Node
}

// Node is one operation.
type Node struct {
	Op         string
	Outputs    []string
	Attributes []Attribute
}

// Attribute is a named constant of a node: a tensor, a subgraph, or of a type that carries no weights.
type Attribute struct {
	Name   string
	Tensor *Tensor
	Graph  *Graph
}

// Tensor holds the values of a float32 tensor in row-major order; Data is nil for every other element type.
type Tensor struct {
	Name string
	Dims []int
	Data []float32
}

// Attribute returns the attribute called name, or nil.
func (n *Node) Attribute(name string) *Attribute {
	for i := range n.Attributes {
		if n.Attributes[i].Name == name {
			return &n.Attributes[i]
		}
	}
	return nil
}

// Parse reads a serialised ModelProto and returns its main graph. Errors wrap ErrMalformed.
func Parse(model []byte) (*Graph, error) {
	var graph *Graph
	err := eachField(model, func(f field) (err error) {
		if f.num == modelGraph {
			graph, err = parseGraph(f.bytes, 0)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if graph == nil {
		return nil, fmt.Errorf("%w: no graph", ErrMalformed)
	}
	return graph, nil
}

func parseGraph(b []byte, depth int) (*Graph, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%w: subgraphs nested deeper than %d", ErrMalformed, maxDepth)
	}
	g := new(Graph)
	err := eachField(b, func(f field) error {
		if f.num != graphNode {
			return nil
		}
		n, err := parseNode(f.bytes, depth)
		g.Nodes = append(g.Nodes, n)
		return err
	})
	return g, err
}

func parseNode(b []byte, depth int) (Node, error) {
	var n Node
	err := eachField(b, func(f field) error {
		switch f.num {
		case nodeOutput:
			n.Outputs = append(n.Outputs, string(f.bytes))
		case nodeOpType:
			n.Op = string(f.bytes)
		case nodeAttribute:
			a, err := parseAttribute(f.bytes, depth)
			n.Attributes = append(n.Attributes, a)
			return err
		}
		return nil
	})
	return n, err
}

func parseAttribute(b []byte, depth int) (Attribute, error) {
	var a Attribute
	err := eachField(b, func(f field) (err error) {
		switch f.num {
		case attrName:
			a.Name = string(f.bytes)
		case attrTensor:
			var t Tensor
			t, err = parseTensor(f.bytes)
			a.Tensor = &t
		case attrGraph:
			a.Graph, err = parseGraph(f.bytes, depth+1)
		}
		return err
	})
	return a, err
}

func parseTensor(b []byte) (Tensor, error) {
	var (
		t        Tensor
		dims     []int64
		elemType uint64
		raw      []byte
	)
	err := eachField(b, func(f field) (err error) {
		switch f.num {
		case tensorDims:
			dims, err = appendVarints(dims, f)
		case tensorType:
			elemType = f.value
		case tensorName:
			t.Name = string(f.bytes)
		case tensorRawData:
			raw = f.bytes
		}
		return err
	})
	if err != nil {
		return t, err
	}
	for _, d := range dims {
		if d < 0 || d > math.MaxInt32 {
			return t, fmt.Errorf("%w: tensor %q has dimension %d", ErrMalformed, t.Name, d)
		}
		t.Dims = append(t.Dims, int(d))
	}
	if elemType != typeFloat {
		return t, nil
	}
	return t, t.fill(raw)
}

// fill decodes little-endian floats.
func (t *Tensor) fill(raw []byte) error {
	size := 1
	for _, d := range t.Dims {
		if d != 0 && size > len(raw)/d {
			return fmt.Errorf("%w: tensor %q is shorter than its shape %v", ErrMalformed, t.Name, t.Dims)
		}
		size *= d
	}
	if len(raw) != 4*size {
		return fmt.Errorf("%w: tensor %q has %d bytes for shape %v", ErrMalformed, t.Name, len(raw), t.Dims)
	}
	t.Data = make([]float32, size)
	for i := range t.Data {
		t.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return nil
}

// field is one protobuf field: value for numbers, bytes for everything with a length.
type field struct {
	num   protowire.Number
	value uint64
	bytes []byte
}

// eachField calls fn for every field of a message, in file order, until fn fails.
func eachField(b []byte, fn func(field) error) error {
	for len(b) > 0 {
		f, n := consumeField(b)
		if n < 0 {
			return fmt.Errorf("%w: %w", ErrMalformed, protowire.ParseError(n))
		}
		if err := fn(f); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// consumeField reads one field and returns its length in bytes, or a negative protowire code.
func consumeField(b []byte) (field, int) {
	num, typ, tag := protowire.ConsumeTag(b)
	if tag < 0 {
		return field{}, tag
	}
	f := field{num: num}
	var n int
	switch typ {
	case protowire.VarintType:
		f.value, n = protowire.ConsumeVarint(b[tag:])
	case protowire.BytesType:
		f.bytes, n = protowire.ConsumeBytes(b[tag:])
	default:
		n = protowire.ConsumeFieldValue(num, typ, b[tag:])
	}
	if n < 0 {
		return f, n
	}
	return f, tag + n
}

// appendVarints adds one number, or a packed list of them.
func appendVarints(dst []int64, f field) ([]int64, error) {
	if f.bytes == nil {
		return append(dst, int64(f.value)), nil
	}
	for b := f.bytes; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return dst, fmt.Errorf("%w: %w", ErrMalformed, protowire.ParseError(n))
		}
		dst = append(dst, int64(v))
		b = b[n:]
	}
	return dst, nil
}
