package io.sluice.center.sink;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** A destination outside the center that receives every row of the audit log. Immutable. */
public sealed interface AuditSink {

    /** Returns the name that people see. No two sinks of a center have the same name. */
    String name();

    /**
     * A file on this machine.
     *
     * @param maxBytes the maximum size; a file that would become larger is put aside, and a new file is started
     * @param keep the number of files that were put aside and are kept
     */
    record File(Path path, long maxBytes, int keep) implements AuditSink {

        public File {
            if (maxBytes < 1 || keep < 0) {
                throw new IllegalArgumentException("file: max_size or keep is out of range");
            }
        }

        @Override
        public String name() {
            return "file " + path;
        }
    }

    /**
     * A server that speaks syslog.
     *
     * @param address such as {@code tls://log.example:6514}; the scheme is udp, tcp or tls
     * @param ca a PEM file with the server's certificate or the authorities that may issue it; without it, those that Java trusts
     */
    record Syslog(URI address, Optional<Path> ca) implements AuditSink {

        @Override
        public String name() {
            return "syslog " + address;
        }
    }

    /**
     * A topic of Kafka.
     *
     * @param servers such as {@code kafka.example:9092}, or several separated by commas
     * @param properties a file with further properties of the client, such as its credentials
     */
    record Kafka(String servers, String topic, Optional<Path> properties) implements AuditSink {

        @Override
        public String name() {
            return "kafka " + servers + " " + topic;
        }
    }
}
