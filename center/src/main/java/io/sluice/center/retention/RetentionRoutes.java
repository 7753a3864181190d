package io.sluice.center.retention;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What is kept for how long, for everybody who is signed in. */
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
