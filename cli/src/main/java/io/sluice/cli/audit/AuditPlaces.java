package io.sluice.cli.audit;

import io.sluice.center.sink.AuditSink;
import io.sluice.node.config.CenterSink;
import java.util.List;

/** Passes the sinks of the configuration to the center. */
public final class AuditPlaces {

    private AuditPlaces() {}

    /** Returns the sinks in the form that the center expects. */
    public static List<AuditSink> of(List<CenterSink> sinks) {
        return sinks.stream().map(AuditPlaces::of).toList();
    }

    private static AuditSink of(CenterSink sink) {
        if (sink instanceof CenterSink.File file) {
            return new AuditSink.File(file.path(), file.maxBytes(), file.keep());
        }
        if (sink instanceof CenterSink.Syslog syslog) {
            return new AuditSink.Syslog(syslog.address(), syslog.ca());
        }
        CenterSink.Kafka kafka = (CenterSink.Kafka) sink;
        return new AuditSink.Kafka(kafka.servers(), kafka.topic(), kafka.properties());
    }
}
