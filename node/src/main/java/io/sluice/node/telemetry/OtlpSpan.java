package io.sluice.node.telemetry;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.sdk.common.InstrumentationLibraryInfo;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.sluice.node.trace.FinishedSpan;
import java.util.List;

/** A span in the form that the library for OTLP reads. Immutable. */
final class OtlpSpan implements SpanData {

    private static final InstrumentationScopeInfo SCOPE = InstrumentationScopeInfo.create("io.sluice.node");

    private final FinishedSpan span;
    private final Resource resource;
    private final Attributes attributes;

    OtlpSpan(FinishedSpan span, Resource resource) {
        this.span = span;
        this.resource = resource;
        this.attributes = attributes(span);
    }

    private static Attributes attributes(FinishedSpan span) {
        AttributesBuilder all = Attributes.builder();
        span.attributes().forEach((name, value) -> {
            if (value instanceof Long number) {
                all.put(name, number);
            } else if (value instanceof Boolean flag) {
                all.put(name, flag);
            } else {
                all.put(name, value.toString());
            }
        });
        return all.build();
    }

    @Override
    public String getName() {
        return span.name();
    }

    @Override
    public SpanKind getKind() {
        return switch (span.kind()) {
            case SERVER -> SpanKind.SERVER;
            case CLIENT -> SpanKind.CLIENT;
            case INTERNAL -> SpanKind.INTERNAL;
        };
    }

    @Override
    public SpanContext getSpanContext() {
        return SpanContext.create(span.traceId(), span.spanId(), TraceFlags.getSampled(), TraceState.getDefault());
    }

    @Override
    public SpanContext getParentSpanContext() {
        return span.parentId().isEmpty()
                ? SpanContext.getInvalid()
                : SpanContext.create(span.traceId(), span.parentId(), TraceFlags.getSampled(), TraceState.getDefault());
    }

    @Override
    public StatusData getStatus() {
        return span.failed() ? StatusData.error() : StatusData.unset();
    }

    @Override
    public long getStartEpochNanos() {
        return span.endEpochNanos() - span.nanos();
    }

    @Override
    public Attributes getAttributes() {
        return attributes;
    }

    @Override
    public List<EventData> getEvents() {
        return List.of();
    }

    @Override
    public List<LinkData> getLinks() {
        return List.of();
    }

    @Override
    public long getEndEpochNanos() {
        return span.endEpochNanos();
    }

    @Override
    public boolean hasEnded() {
        return true;
    }

    @Override
    public int getTotalRecordedEvents() {
        return 0;
    }

    @Override
    public int getTotalRecordedLinks() {
        return 0;
    }

    @Override
    public int getTotalAttributeCount() {
        return attributes.size();
    }

    @Override
    @SuppressWarnings({"deprecation", "InlineMeSuggester"}) // the interface has no default for it
    @Deprecated
    public InstrumentationLibraryInfo getInstrumentationLibraryInfo() {
        return InstrumentationLibraryInfo.empty();
    }

    @Override
    public InstrumentationScopeInfo getInstrumentationScopeInfo() {
        return SCOPE;
    }

    @Override
    public Resource getResource() {
        return resource;
    }
}
