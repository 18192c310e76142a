package onnx

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
)

// message spells a protobuf message: bytes, strings and messages are length-delimited fields, ints are varints.
func message(fields ...any) []byte {
	var b []byte
	for i := 0; i < len(fields); i += 2 {
		num := protowire.Number(fields[i].(int))
		switch v := fields[i+1].(type) {
		case int:
			b = protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), uint64(v))
		case string:
			b = protowire.AppendString(protowire.AppendTag(b, num, protowire.BytesType), v)
		case []byte:
			b = protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), v)
		}
	}
	return b
}

func floats(values ...float32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func TestParseReadsNestedGraphs(t *testing.T) {
	weight := message(tensorDims, 2, tensorDims, 1, tensorType, typeFloat, tensorRawData, floats(1, -2))
	inner := message(graphNode, message(nodeOutput, "w", nodeOpType, "Constant", nodeAttribute, message(attrName, "value", attrTensor, weight)))
	node := message(nodeOpType, "If", nodeAttribute, message(attrName, "then_branch", attrGraph, inner))
	conv := message(nodeOpType, "Conv", nodeAttribute, message(attrName, "strides", 8, []byte{2, 3}))
	got, err := Parse(message(1, 8, modelGraph, message(graphNode, node, graphNode, conv)))
	if err != nil {
		t.Fatal(err)
	}
	want := &Graph{
		Nodes: []Node{
			{Op: "If", Attributes: []Attribute{{Name: "then_branch", Graph: &Graph{Nodes: []Node{
				{Op: "Constant", Outputs: []string{"w"}, Attributes: []Attribute{{Name: "value", Tensor: &Tensor{Dims: []int{2, 1}, Data: []float32{1, -2}}}}},
			}}}}},
			{Op: "Conv", Attributes: []Attribute{{Name: "strides"}}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("graph (-want +got):\n%s", diff)
	}
	if got.Nodes[1].Attribute("pads") != nil {
		t.Error("an attribute that is not there was found")
	}
}

func TestParseRefuses(t *testing.T) {
	tensor := func(fields ...any) []byte {
		t := message(append([]any{tensorType, typeFloat}, fields...)...)
		return message(modelGraph, message(graphNode, message(nodeAttribute, message(attrTensor, t))))
	}
	deep := message(graphNode, message(nodeOpType, "If"))
	for range maxDepth + 2 {
		deep = message(graphNode, message(nodeAttribute, message(attrGraph, deep)))
	}
	tests := map[string][]byte{
		"nothing":             nil,
		"no graph":            message(1, 8),
		"text":                []byte("not a model at all"),
		"field cut off":       message(modelGraph, "graph")[:4],
		"too few floats":      tensor(tensorDims, 3, tensorRawData, floats(1, 2)),
		"too many floats":     tensor(tensorDims, 1, tensorRawData, floats(1, 2)),
		"sizes that overflow": tensor(tensorDims, math.MaxInt32, tensorDims, math.MaxInt32, tensorDims, math.MaxInt32, tensorRawData, floats(1)),
		"negative size":       tensor(tensorDims, -1, tensorRawData, floats(1)),
		"endless nesting":     message(modelGraph, deep),
	}
	for name, model := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse(model); !errors.Is(err, ErrMalformed) {
				t.Errorf("error %v, want ErrMalformed", err)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add(message(modelGraph, message(graphNode, message(nodeAttribute, message(attrTensor,
		message(tensorDims, 1, tensorType, typeFloat, tensorRawData, floats(1)))))))
	f.Fuzz(func(t *testing.T, model []byte) {
		if _, err := Parse(model); err != nil && !errors.Is(err, ErrMalformed) {
			t.Errorf("error %v does not wrap ErrMalformed", err)
		}
	})
}
