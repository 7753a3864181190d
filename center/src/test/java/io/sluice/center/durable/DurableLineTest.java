package io.sluice.center.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.center.Center;
import io.sluice.center.PreparedCenter;
import io.sluice.core.limit.Calendar;
import io.sluice.runtime.center.CenterAddress;
import io.sluice.runtime.center.CenterDurableLine;
import io.sluice.runtime.durable.DurableCount;
import io.sluice.runtime.durable.DurableSum;
import io.sluice.runtime.durable.RefusedSumsException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sums of durable limits on their way to a center over HTTP. */
class DurableLineTest {

    @TempDir
    Path data;

    @Test
    void aSumThatTheCenterDoesNotUnderstandIsRefusedAndNotLostOnTheWay() throws Exception {
        try (Center center = Center.open(PreparedCenter.in(data))) {
            CenterDurableLine line = new CenterDurableLine(io.sluice.runtime.center.Center.at(
                    CenterAddress.of(center.address().toString(), center.adminTokenFile())));
            DurableSum known = sum("UTC");
            DurableSum unknown = sum("Atlantis/Capital");

            // A node isolates the sum that is refused. Any other failure makes it try the same again.
            assertThatThrownBy(() -> line.send(List.of(known, unknown))).isInstanceOf(RefusedSumsException.class);
            assertThat(line.all()).isEmpty();
            line.send(List.of(known));

            assertThat(line.all()).containsExactly(known);
        }
    }

    private static DurableSum sum(String zone) {
        DurableCount count = new DurableCount("r.quota", Calendar.YEAR, zone, "tenant=acme", 1, Long.MAX_VALUE);
        return new DurableSum("a", "m", count, 5, 1);
    }
}
