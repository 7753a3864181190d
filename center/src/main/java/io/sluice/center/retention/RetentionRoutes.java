package io.sluice.center.retention;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The retention times, for all signed-in people. */
@RestController
public final class RetentionRoutes {

    private final Retention retention;

    RetentionRoutes(Retention retention) {
        this.retention = retention;
    }

    @GetMapping("/api/retention")
    List<DataKindReply> kinds() {
        return retention.kinds().stream().map(DataKindReply::of).toList();
    }
}
