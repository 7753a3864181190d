package io.sluice.center.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.audit.AuditTables;
import io.sluice.center.database.Database;
import io.sluice.runtime.witness.Checkpoint;
import io.sluice.runtime.witness.TreeHash;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointTableTest {

    private static final String LOG = "0".repeat(32);
    private static final long DAY = Duration.ofDays(1).toMillis();

    private final SigningKey key = SigningKey.generate();

    @TempDir
    Path data;

    @Test
    void afterADayOnlyTheLastOfEachDayStays() throws Exception {
        try (Database database = Database.open("", data)) {
            List<Checkpoint> left = database.write(client -> {
                client.sql("UPDATE audit_head SET log = ?").param(LOG).update();
                for (int size = 0; size < 40; size++) {
                    CheckpointTable.put(client, signed(size, size * DAY / 10));
                }
                CheckpointTable.thin(client, 4 * DAY);
                return AuditTables.checkpoints(client);
            });
            assertThat(left)
                    .extracting(Checkpoint::size)
                    .startsWith(9L, 19L, 29L, 30L)
                    .endsWith(38L, 39L)
                    .hasSize(13);
        }
    }

    @Test
    void theNewestIsTheOneThatWasSignedLast() throws Exception {
        try (Database database = Database.open("", data)) {
            Checkpoint newest = database.write(client -> {
                CheckpointTable.put(client, signed(9, 100));
                CheckpointTable.put(client, signed(5, 200));
                CheckpointTable.put(client, signed(5, 300));
                return CheckpointTable.newest(client, LOG).orElseThrow();
            });
            assertThat(newest).isEqualTo(signed(5, 300));
            assertThat(newest.isBy(key.known())).isTrue();
        }
    }

    @Test
    void aKeyIsReadAsItWasWritten() {
        SigningKey read = SigningKey.parse(key.text());
        assertThat(read.known()).isEqualTo(key.known());
        assertThat(read.checkpoint(LOG, 1, TreeHash.EMPTY, 1).isBy(key.known())).isTrue();
        assertThat(key.toString()).doesNotContain(key.text().lines().findFirst().orElseThrow());
    }

    private Checkpoint signed(long size, long at) {
        return key.checkpoint(LOG, size, TreeHash.EMPTY, at);
    }
}
