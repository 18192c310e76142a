package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/cmd/viva/settings"
)

// traceFlush bounds how long the last spans may take to leave.
const traceFlush = 5 * time.Second

// tracing returns the tracer that the settings ask for, nil for none, and what sends the last spans at the end. Spans
// wait in a queue of 2048, and the oldest of more are dropped: a collector that is away costs an interview nothing.
func tracing(ctx context.Context, s *settings.Settings, log *zap.Logger) (api.Tracer, func(), error) {
	if s.Trace.Endpoint == "" {
		return nil, func() {}, nil
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(strings.TrimRight(s.Trace.Endpoint, "/")+"/v1/traces"))
	if err != nil {
		return nil, nil, fmt.Errorf("send traces to %s: %w", s.Trace.Endpoint, err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("trace.export", zap.Error(err)) }))
	provider := trace.NewTracerProvider(
		trace.WithBatcher(exporter),
		trace.WithSampler(trace.ParentBased(trace.TraceIDRatioBased(s.Trace.Sample))),
		trace.WithResource(resource.NewSchemaless(attribute.String("service.name", s.AgentName), attribute.String("service.version", version))),
	)
	flush := func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), traceFlush)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			log.Warn("trace.flush", zap.Error(err))
		}
	}
	return provider.Tracer("viva"), flush, nil
}
