package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.Center;
import io.sluice.center.CenterSettings;
import io.sluice.runtime.witness.Checkpoint;
import io.sluice.runtime.witness.HeldCheckpoint;
import io.sluice.runtime.witness.LogKey;
import io.sluice.runtime.witness.TreeHash;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.util.Base64;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./sluice audit export} and {@code ./sluice audit verify}. */
@Timeout(300)
class AuditTest {

    private static final String LOG = "0123456789abcdef0123456789abcdef";

    @TempDir
    Path folder;

    @Test
    void exportsAndVerifiesTheLogOfARunningCenter() throws Exception {
        Path data = folder.resolve("data");
        try (Center center = Center.open(CenterSettings.embedded(data))) {
            Path rules = Files.writeString(
                    folder.resolve("rules.yaml"), "rules: [{ id: login, limits: [{ by: [ip], rate: 5/m }] }]\n");
            CommandRun.of("apply", rules, "--center", center.address(), "--data", data)
                    .good();

            CommandRun online = CommandRun.of("audit", "verify", "--center", center.address(), "--data", data);
            assertThat(online.code()).as(online.toString()).isEqualTo(3);
            assertThat(online.out())
                    .containsPattern("integrity     [0-9]+ rows as they were written")
                    .containsPattern("completeness  all rows up to [0-9]+")
                    .contains("NOT verified: no key was given (--key)");

            Path file = folder.resolve("log.jsonl.gz");
            assertThat(CommandRun.of("audit", "export", file, "--center", center.address(), "--data", data)
                            .good()
                            .out())
                    .isEqualTo("exported to " + file + "\n");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
            CommandRun offline = CommandRun.of("audit", "verify", "--export", file, "--json");
            assertThat(offline.code()).isEqualTo(3);
            assertThat(offline.out()).contains("\"verified\":false", "\"broken\":false");

            String text;
            try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(Files.readAllBytes(file)))) {
                text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
            Path forged = Files.writeString(
                    folder.resolve("forged.jsonl"),
                    text.replaceFirst("\"actor\":\"[^\"]*\"", "\"actor\":\"user:eve\""));
            CommandRun broken = CommandRun.of("audit", "verify", "--export", forged);
            assertThat(broken.code()).isEqualTo(1);
            assertThat(broken.out()).contains("integrity     BAD: row 1:", "BROKEN: row 1: changed");

            Path table = folder.resolve("log.csv");
            CommandRun.of("audit", "export", table, "--format", "csv", "--center", center.address(), "--data", data)
                    .good();
            assertThat(Files.readString(table)).startsWith("number,at,actor,").contains("release_change");
        }
    }

    @Test
    void aLogWithAKeyAndAWitnessIsVerified() throws Exception {
        KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        LogKey key = LogKey.of(pair.getPublic());
        String commitment = TreeHash.leaf(joined("sluice-content-1", "salt", "192.0.2.7", "because", "{}"));
        String leaf = TreeHash.leaf(joined("sluice-row-1", "1", "5", "user:ann", "test", "0", "done", commitment));
        Signature signer = Signature.getInstance("Ed25519");
        signer.initSign(pair.getPrivate());
        signer.update(Checkpoint.signedText(LOG, 1, leaf, 6).getBytes(StandardCharsets.UTF_8));
        Checkpoint checkpoint =
                new Checkpoint(LOG, 1, leaf, 6, key.id(), Base64.getEncoder().encodeToString(signer.sign()));
        Path export = Files.writeString(folder.resolve("log.jsonl"), """
                {"sluice":"audit","format":1,"log":"%s","at":7,"head":{"size":1,"root":"%s"},"highest":1,\
                "keys":[{"key":"%s","before":"","signature":"","at":1}]}
                {"checkpoint":{"log":"%s","size":1,"root":"%s","at":6,"key":"%s","signature":"%s"}}
                {"row":1,"at":5,"actor":"user:ann","kind":"test","expected":0,"outcome":"done","from":"192.0.2.7",\
                "reason":"because","body":"{}","salt":"salt","commitment":"%s","hash":"%s","erased_by":0}
                {"end":1,"rows":1}
                """.formatted(
                        LOG, leaf, key.text(), LOG, leaf, key.id(), checkpoint.signature(), commitment, leaf));
        Path witness = Files.writeString(folder.resolve("audit-witness"), new HeldCheckpoint(key, checkpoint).toJson());

        CommandRun good =
                CommandRun.of("audit", "verify", "--export", export, "--key", key.text(), "--witness", witness);
        assertThat(good.code()).as(good.toString()).isZero();
        assertThat(good.out())
                .contains("witnessed     until row 1 (1970-01-01T00:00:00.006Z) by 1 node; 1 of 1 agree")
                .endsWith("verified: rows up to 1, witnessed by 1 node\n");
        Path keyFile = Files.writeString(folder.resolve("key"), key.text() + "\n");
        assertThat(CommandRun.of("audit", "verify", "--export", export, "--key", keyFile, "--data", folder)
                        .code())
                .isZero();
        assertThat(CommandRun.of("audit", "verify", "--export", export, "--witness", witness)
                        .code())
                .isEqualTo(3);
    }

    @Test
    void badUsageIsNamed() throws Exception {
        Path text = Files.writeString(folder.resolve("text"), "no export\n");
        assertUsage("command: missing", "audit");
        assertUsage("not an export of an audit log", "audit", "verify", "--export", text);
        assertUsage("not readable", "audit", "verify", "--export", folder.resolve("none"));
        assertUsage("--key: neither a key nor a file", "audit", "verify", "--export", text, "--key", "x");
        assertUsage("--witness: " + text, "audit", "verify", "--export", text, "--witness", text);
        assertUsage("--format: xml (expected: jsonl or csv)", "audit", "export", "--format", "xml", text);
        assertUsage(
                "--export: together with --center",
                "audit",
                "verify",
                "--export",
                text,
                "--center",
                "http://127.0.0.1:1");
    }

    @Test
    void aCenterThatIsAwayIsNamed() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "x".repeat(40));
        CommandRun run = CommandRun.of(
                "audit", "export", folder.resolve("f"), "--center", "http://127.0.0.1:1", "--token-file", token);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).contains("cannot be reached");
        assertThat(folder.resolve("f")).doesNotExist();
        CommandRun verified = CommandRun.of("audit", "verify", "--center", "http://127.0.0.1:1", "--token-file", token);
        assertThat(verified.code()).isEqualTo(1);
        assertThat(verified.err()).contains("cannot be reached").hasLineCount(1);
    }

    private static void assertUsage(String message, Object... arguments) {
        CommandRun run = CommandRun.of(arguments);
        assertThat(run.code()).as(run.toString()).isEqualTo(2);
        assertThat(run.err()).contains(message);
    }

    private static String joined(String... parts) {
        StringBuilder text = new StringBuilder();
        for (String part : parts) {
            text.append(part.length()).append(':').append(part);
        }
        return text.toString();
    }
}
