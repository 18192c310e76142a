package vad

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/vivavoice/viva/pipeline/vad/internal/onnx"
)

// ErrNoWeights reports that the binary was built before the weights were fetched.
var ErrNoWeights = errors.New("the Silero VAD weights are missing: run `make setup` and build again")

// ErrUnsupportedModel reports an ONNX file that is not a Silero VAD v5 model.
var ErrUnsupportedModel = errors.New("not a Silero VAD v5 model")

// weightsFile is the name under which set-up stores the model.
const weightsFile = "weights/silero_vad.onnx"

// The folder is embedded whole, because its README is committed and the model is not: a build without the model succeeds.
//
//go:embed all:weights
var embedded embed.FS

// Load returns the model embedded into the binary, or ErrNoWeights.
func Load() (*Model, error) { return load(embedded) }

func load(files fs.FS) (*Model, error) {
	b, err := fs.ReadFile(files, weightsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoWeights
	}
	if err != nil {
		return nil, fmt.Errorf("read embedded VAD weights: %w", err)
	}
	return parseModel(b)
}

func parseModel(b []byte) (*Model, error) {
	graph, err := onnx.Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnsupportedModel, err)
	}
	branch, err := branch16k(graph)
	if err != nil {
		return nil, err
	}
	t := tensors{}
	t.collect(branch)
	return newModel(t)
}

// branch16k finds the subgraph for 16 kHz: the model asks "is sr 16000?" and carries one subgraph for each answer.
func branch16k(g *onnx.Graph) (*onnx.Graph, error) {
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Op == "If" {
			if a := n.Attribute("then_branch"); a != nil && a.Graph != nil {
				return a.Graph, nil
			}
		}
	}
	return nil, fmt.Errorf("%w: no subgraph for 16 kHz", ErrUnsupportedModel)
}

// tensors maps the last part of a weight's name ("decoder.rnn.weight_ih") to its values.
type tensors map[string]*onnx.Tensor

// collect takes up the weights, which are outputs of Constant nodes with names such as If_0_then_branch__Inline_0__encoder.0….
func (t tensors) collect(g *onnx.Graph) {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		a := n.Attribute("value")
		if n.Op != "Constant" || len(n.Outputs) != 1 || a == nil || a.Tensor == nil || a.Tensor.Data == nil {
			continue
		}
		name := n.Outputs[0]
		if i := strings.LastIndex(name, "__"); i >= 0 {
			name = name[i+2:]
		}
		t[name] = a.Tensor
	}
}

// take returns the values of a weight and checks its shape.
func (t tensors) take(name string, dims ...int) ([]float32, error) {
	w := t[name]
	if w == nil {
		return nil, fmt.Errorf("%w: weight %q is missing", ErrUnsupportedModel, name)
	}
	same := len(w.Dims) == len(dims)
	for i := 0; same && i < len(dims); i++ {
		same = w.Dims[i] == dims[i]
	}
	if !same {
		return nil, fmt.Errorf("%w: weight %q has shape %v, want %v", ErrUnsupportedModel, name, w.Dims, dims)
	}
	return w.Data, nil
}
