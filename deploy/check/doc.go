// Package check tests the chart of deploy/helm, the dashboards of deploy/grafana and the alert rules, with the libraries of
// Helm, Kubernetes and Prometheus. It holds tests only, and knows the program by two files that the program's own tests hold
// true: ../metrics.txt, what a worker registers, and testdata/, what the chart renders.
//
// Run it with -count=1: what it reads lies outside of the module, where Go's cache of results does not look.
package check
