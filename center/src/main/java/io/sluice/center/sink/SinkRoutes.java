package io.sluice.center.sink;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The sinks of the audit log. */
@RestController
public final class SinkRoutes {

    private final AuditSinks sinks;

    SinkRoutes(AuditSinks sinks) {
        this.sinks = sinks;
    }

    @GetMapping("/api/audit/sinks")
    List<SinkReply> sinks() {
        return sinks.states();
    }
}
