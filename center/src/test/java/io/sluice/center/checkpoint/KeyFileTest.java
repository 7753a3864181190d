package io.sluice.center.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.center.audit.AuditTables;
import io.sluice.center.audit.LoggedKey;
import io.sluice.center.command.Actor;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.center.refusal.RefusedException;
import io.sluice.core.time.ManualClock;
import io.sluice.runtime.witness.LogKey;
import io.sluice.testkit.QuietClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two rotations at once. */
class KeyFileTest {

    @TempDir
    Path data;

    @Test
    void oneThatIsFinishedTakesItsOwnKey() throws Exception {
        KeyFile file = new KeyFile(data);
        file.write(SigningKey.generate());
        SigningKey first = SigningKey.generate();
        SigningKey second = SigningKey.generate();
        file.prepare(first);
        file.prepare(second);
        file.finish(first);
        assertThat(id(file.read())).isEqualTo(first.known().id());
        file.finish(first);
        assertThat(id(file.read())).isEqualTo(first.known().id());
        assertThat(id(file.find(second.known().id()))).isEqualTo(second.known().id());
        assertThat(id(file.read())).isEqualTo(second.known().id());
        assertThat(waiting()).isEmpty();
    }

    @Test
    void theKeyOfTheDatabaseIsFoundAndTheOtherStaysAside() throws Exception {
        KeyFile file = new KeyFile(data);
        file.write(SigningKey.generate());
        SigningKey stored = SigningKey.generate();
        SigningKey refused = SigningKey.generate();
        file.prepare(stored);
        file.prepare(refused);
        assertThat(id(file.find(stored.known().id()))).isEqualTo(stored.known().id());
        assertThat(id(file.read())).isEqualTo(stored.known().id());
        file.discard(refused);
        assertThat(id(file.read())).isEqualTo(stored.known().id());
        assertThat(waiting()).isEmpty();
    }

    @Test
    void theLaterOneIsRefusedAndTheKeyOfTheEarlierStays() throws Exception {
        ManualClock clock = QuietClock.at(1_800_000_000_000_000L);
        try (Database database = Database.open("", data)) {
            AuditKeys keys = new AuditKeys(database, data, clock);
            keys.begin();
            CommandLog log = new CommandLog(clock);
            LogKey next = keys.rotate(log, Actor.CENTER, false);
            // The database has a key that this rotation did not see.
            int unused =
                    database.write(client -> client.sql("CREATE TRIGGER between_rotations AFTER INSERT ON command BEGIN"
                                    + " UPDATE audit_key SET at = at + 1; END")
                            .update());
            assertThatThrownBy(() -> keys.rotate(log, Actor.CENTER, false))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("replaced by somebody else");
            assertThat(id(new KeyFile(data).read())).isEqualTo(next.id());
            List<LoggedKey> stored = database.read(AuditTables::keys);
            assertThat(stored.get(stored.size() - 1).key()).isEqualTo(next);
            assertThat(waiting()).isEmpty();
        }
    }

    private static String id(Optional<SigningKey> key) {
        return key.orElseThrow().known().id();
    }

    private List<Path> waiting() throws IOException {
        try (Stream<Path> files = Files.list(data)) {
            return files.filter(file -> file.getFileName().toString().contains(".next"))
                    .toList();
        }
    }
}
