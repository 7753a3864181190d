package io.sluice.center;

import io.sluice.testkit.database.MariaDbServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;

/** Approvals on a real MariaDB. */
@Tag("long")
class MariaDbApprovalTest extends ApprovalContract {

    @Override
    SecondPerson open(Path data) throws CenterStartException {
        return SecondPerson.in(data, MariaDbServer.shared().database());
    }
}
