package design

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"time"
)

// Options are what a Factory is made from. The zero value gives the companies that come with Viva.
type Options struct {
	// Folders hold companies/*.yaml and questions/*.yaml of an operator; later ones replace earlier and shipped ones.
	Folders []fs.FS
	// Allow lists the hosts that may be called, by name, "*.name", address or range. A private, loopback or link-local
	// address is called only if the address itself is listed.
	Allow []string
	// Token returns the bearer token for a company's service; nil or "" = none.
	Token func(company string) string
	// Wait bounds each call to a service; 0 = 8 s.
	Wait time.Duration
}

// Factory picks who answers, by company and interview type (R000-68). It may be shared between goroutines.
type Factory struct {
	*files
	services map[serviceKey]*service
	client   *http.Client
}

type serviceKey struct{ company, interviewType string }

// NewFactory reads and checks all company files. The error names everything that is wrong with them, each with its file,
// line and column, and services whose host is not allowed.
func NewFactory(o Options) (*Factory, error) {
	a, err := parseAllowed(o.Allow)
	if err != nil {
		return nil, err
	}
	read, err := load(append([]fs.FS{shipped}, o.Folders...)...)
	if err != nil {
		return nil, err
	}
	f := &Factory{files: read, services: make(map[serviceKey]*service), client: newClient(a)}
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(f.companies)) {
		co := f.companies[name]
		for interviewType, i := range co.Interviews {
			if !on(co.Enabled) || !i.Remote.on() {
				continue
			}
			s, err := newService(co, i.Remote, &o, a, f.client)
			problems = append(problems, err)
			f.services[serviceKey{name, interviewType}] = s
		}
	}
	if _, ok := f.companies[Default]; !ok {
		problems = append(problems, fmt.Errorf("there is no company %q", Default))
	}
	return f, errors.Join(problems...)
}

// Companies lists the companies that are switched on, in order.
func (f *Factory) Companies() []string {
	var out []string
	for name, co := range f.companies {
		if on(co.Enabled) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// For returns a provider for one interview and the company that it is: the one that was asked for, or Default where that
// one is unknown, switched off, or has no such interview (R000-38, R000-77). It never returns nil.
func (f *Factory) For(company, interviewType string) (p Provider, resolved string) {
	resolved = f.resolve(company, interviewType)
	if s := f.services[serviceKey{resolved, interviewType}]; s != nil {
		return &Remote{service: s, interviewType: interviewType}, resolved
	}
	return f.local(resolved, interviewType), resolved
}

func (f *Factory) resolve(name, interviewType string) string {
	co := f.find(name)
	if co == nil || !on(co.Enabled) || co.Interviews[interviewType] == nil {
		return Default
	}
	return co.Company
}

// local returns the company's own file as a provider. One without that interview holds it as one phase, with no question.
func (f *Factory) local(resolved, interviewType string) *Local {
	if co := f.companies[resolved]; co != nil && co.Interviews[interviewType] != nil {
		return &Local{interview: co.Interviews[interviewType]}
	}
	return &Local{interview: &interview{}}
}

// standIn returns who answers for a company whose service cannot: its own file where that has what is needed, or else
// Default.
func (f *Factory) standIn(resolved, interviewType string, has func(*interview) bool) (l *Local, name string) {
	l = f.local(resolved, interviewType)
	if has(l.interview) {
		return l, resolved
	}
	return f.local(Default, interviewType), Default
}

// Close closes the connections that are kept open. Calls under way are not waited for: their contexts end them.
func (f *Factory) Close() { f.client.CloseIdleConnections() }
