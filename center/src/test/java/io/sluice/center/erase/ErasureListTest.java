package io.sluice.center.erase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.runtime.erasure.Subject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The key and the list in the data directory. */
class ErasureListTest {

    @TempDir
    Path data;

    @Test
    void remembersTheNewestLineOfEachErasure() throws IOException {
        ErasureKey key = ErasureKey.of(data);
        ErasureList list = ErasureList.open(data, key);
        list.add(entry(1, List.of()));
        list.add(entry(1, List.of()));
        list.add(entry(2, List.of()));
        list.add(entry(1, List.of("hash")));
        assertThat(Files.readAllLines(file())).hasSize(4);
        assertThat(ErasureList.open(data, key).entries())
                .containsExactly(entry(1, List.of("hash")), entry(2, List.of()));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data.resolve("erasure-key"))))
                .isEqualTo("rw-------");
    }

    @Test
    void aLineThatWasCutOffIsRemoved() throws IOException {
        ErasureKey key = ErasureKey.of(data);
        ErasureList.open(data, key).add(entry(1, List.of()));
        Files.writeString(file(), "{\"id\":2,\"at\"", StandardOpenOption.APPEND);
        ErasureList list = ErasureList.open(data, key);
        assertThat(list.entries()).hasSize(1);
        list.add(entry(3, List.of()));
        assertThat(ErasureList.open(data, key).entries()).hasSize(2);
    }

    @Test
    void aDamagedLineIsNamed() throws IOException {
        ErasureKey key = ErasureKey.of(data);
        ErasureList.open(data, key).add(entry(1, List.of()));
        Files.writeString(file(), "nonsense\n", StandardOpenOption.APPEND);
        assertThatThrownBy(() -> ErasureList.open(data, key))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("erasures: line 3 is damaged (expected:");
    }

    @Test
    void anotherKeyIsNoticed() throws IOException {
        ErasureList.open(data, ErasureKey.of(data)).add(entry(1, List.of()));
        Files.delete(data.resolve("erasure-key"));
        assertThatThrownBy(() -> Erasures.requireReadable(data)).hasMessageContaining("erasure-key: missing");
        ErasureKey other = ErasureKey.of(data);
        assertThatThrownBy(() -> ErasureList.open(data, other)).hasMessageContaining("another erasure-key");
        Files.writeString(data.resolve("erasure-key"), "nonsense");
        assertThatThrownBy(() -> ErasureKey.of(data)).hasMessageContaining("expected: 64 hexadecimal digits");
    }

    @Test
    void onlyTheSameKeyAndErasureOpenASubject(@TempDir Path elsewhere) throws IOException {
        ErasureKey key = ErasureKey.of(data);
        Subject subject = new Subject("user", "zoë \"17\"", Map.of("tenant", "acme"));
        String hash = key.caller("user", subject.value());
        String sealed = key.seal(subject, hash);
        assertThat(sealed).isNotEqualTo(key.seal(subject, hash));
        assertThat(ErasureKey.of(data).open(sealed, hash)).contains(subject);
        assertThat(key.open(sealed, "another")).isEmpty();
        assertThat(key.open("AAAA", hash)).isEmpty();
        assertThat(key.open("no base64", hash)).isEmpty();
        assertThat(ErasureKey.of(elsewhere).open(sealed, hash)).isEmpty();
        assertThat(ErasureKey.of(elsewhere).check()).isNotEqualTo(key.check());
        // Lengths keep attribute and value apart.
        assertThat(key.caller("ab", "c")).isNotEqualTo(key.caller("a", "bc"));
        assertThat(key.caller("ip", "2001:db8:0::1")).isEqualTo(key.caller("ip", "2001:db8::1"));
    }

    private Path file() {
        return data.resolve("erasures");
    }

    private static ErasureList.Entry entry(long id, List<String> hashes) {
        return new ErasureList.Entry(
                id,
                1_000,
                "user",
                "subject",
                hashes,
                List.of(new Removal.Row(7, "leaf")),
                List.of(new Removal.Text("rule_change", 3, "reason", "hash")));
    }
}
