package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.spi.Engine;
import io.sluice.core.time.ManualClock;
import io.sluice.redis.store.StoreState;
import io.sluice.rules.caller.CallerMarks;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
class SharedCallerKeyTest {

    @TempDir
    private Path folder;

    private final ManualClock clock = QuietClock.at(1);
    private final AgreeingStore store = new AgreeingStore();

    @Test
    void isKeptInTheDataDirectoryForItsOwnerOnly() throws Exception {
        Path data = folder.resolve("made");
        String first = hash(SharedCallerKey.open(Optional.of(data)));
        assertThat(hash(SharedCallerKey.open(Optional.of(data)))).isEqualTo(first);
        Path file = data.resolve("caller-key");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(hash(SharedCallerKey.open(Optional.empty()))).isNotEqualTo(first);
        for (String damaged : List.of("", "abc", "zz".repeat(32), "ab".repeat(31), "ab".repeat(100))) {
            Files.writeString(file, damaged, StandardCharsets.US_ASCII);
            String made = hash(SharedCallerKey.open(Optional.of(data)));
            assertThat(made).isNotEqualTo(first);
            assertThat(hash(SharedCallerKey.open(Optional.of(data)))).isEqualTo(made);
        }
    }

    @Test
    void aDirectoryThatCannotBeWrittenDoesNotKeepTheProcessFromStarting() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "x");
        assertThat(hash(SharedCallerKey.open(Optional.of(file)))).hasSize(43);
    }

    @Test
    void processesOfOneStoreHaveOneKey() {
        SharedCallerKey one = SharedCallerKey.open(Optional.of(folder.resolve("one")));
        SharedCallerKey other = SharedCallerKey.open(Optional.of(folder.resolve("other")));
        String first = hash(one);
        assertThat(hash(other)).isNotEqualTo(first);
        assertThat(one.agree(store, clock).join()).isTrue();
        assertThat(other.agree(store, clock).join()).isTrue();
        assertThat(hash(one)).isEqualTo(first);
        assertThat(hash(other)).isEqualTo(first);
        // A restart without the store keeps it.
        assertThat(hash(SharedCallerKey.open(Optional.of(folder.resolve("other")))))
                .isEqualTo(first);
    }

    @Test
    void theKeySurvivesAStoreThatLosesItsData() {
        SharedCallerKey one = SharedCallerKey.open(Optional.empty());
        String first = hash(one);
        assertThat(one.agree(store, clock).join()).isTrue();
        store.key = null;
        clock.advance(Duration.ofSeconds(10));
        SharedCallerKey other = SharedCallerKey.open(Optional.empty());
        assertThat(other.agree(store, clock).join()).isTrue();
        assertThat(hash(other)).isEqualTo(first);
        one.close();
        other.close();
        store.asked = 0;
        clock.advance(Duration.ofMinutes(1));
        assertThat(store.asked).isZero();
    }

    @Test
    void keepsItsOwnKeyIfTheStoreHasNone() {
        SharedCallerKey one = SharedCallerKey.open(Optional.empty());
        String first = hash(one);
        store.failing = true;
        assertThat(one.agree(store, clock).join()).isFalse();
        store.failing = false;
        store.key = new byte[7];
        assertThat(one.agree(store, clock).join()).isFalse();
        assertThat(hash(one)).isEqualTo(first);
    }

    private static String hash(SharedCallerKey key) {
        return new CallerMarks(new KeySettings(key.secret(), 64))
                .of(RuleSet.none(), "user", Attributes.of(Map.of("user", "u-1")))
                .orElseThrow()
                .hash();
    }

    private static final class AgreeingStore implements Store {

        private byte[] key;
        private boolean failing;
        private int asked;

        @Override
        public CompletionStage<byte[]> agreeOn(String name, byte[] proposed) {
            asked++;
            if (failing) {
                return CompletableFuture.failedFuture(new IllegalStateException("down"));
            }
            key = key == null ? proposed : key;
            return CompletableFuture.completedFuture(key);
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public Engine engine() {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Void> ready() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public StoreState state() {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<String> findings() {
            return List.of();
        }
    }
}
