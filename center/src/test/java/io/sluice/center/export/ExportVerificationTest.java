package io.sluice.center.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.center.AuditVerdict;
import io.sluice.center.AuditVerdict.State;
import io.sluice.center.AuditVerification;
import io.sluice.center.AuditVerification.Claim;
import io.sluice.center.audit.AuditHead;
import io.sluice.center.audit.AuditTree;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.core.time.ManualClock;
import io.sluice.runtime.witness.Checkpoint;
import io.sluice.runtime.witness.HeldCheckpoint;
import io.sluice.runtime.witness.LogKey;
import io.sluice.testkit.QuietClock;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody verifies an export on another machine. */
class ExportVerificationTest {

    private static final String LOG = "0123456789abcdef0123456789abcdef";

    @TempDir
    Path data;

    private final ManualClock clock = QuietClock.at(1_800_000_000_000_000L);
    private final CommandLog log = new CommandLog(clock);
    private Database database;
    private KeyPair pair;
    private LogKey key;
    private String witness;

    @BeforeEach
    void start() throws Exception {
        database = Database.open("", data);
        pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        key = LogKey.of(pair.getPublic());
        sql("UPDATE audit_head SET log = '" + LOG + "'");
        sql("INSERT INTO audit_key (number, id, public_key, before_id, signature, at) VALUES (1, '" + key.id() + "', '"
                + key.text() + "', '', '', 5)");
        add(6);
        witness = new HeldCheckpoint(key, sign()).toJson();
    }

    @AfterEach
    void stop() {
        database.close();
    }

    @Test
    void isVerifiedWithAKeyAndAWitness() throws Exception {
        add(2);
        AuditVerdict verdict = verify(export());
        assertThat(verdict.state()).as(verdict.toString()).isEqualTo(State.VERIFIED);
        assertThat(verdict.conclusion())
                .isEqualTo(
                        "verified: rows up to 6, witnessed by 1 node; rows up to 8 are whole, but not witnessed yet");
        assertThat(verdict.witnessed().lines()).contains("2 later rows are not witnessed yet");
        assertThat(verdict.toJson()).contains("\"verified\":true", "\"until\":6");
    }

    @Test
    void isNeverVerifiedWithoutAKeyOrAWitness() throws Exception {
        AuditVerification none = new AuditVerification();
        assertThat(none.verify(in(export())).conclusion())
                .isEqualTo("NOT verified: no key was given (--key); no witness was given (--witness)");
        AuditVerification noWitness = new AuditVerification();
        noWitness.trust(key.text());
        assertThat(noWitness.verify(in(export())).conclusion())
                .isEqualTo("NOT verified: no witness was given (--witness)");
        AuditVerification noKey = new AuditVerification();
        noKey.witness("node a", witness);
        assertThat(noKey.verify(in(export())).conclusion()).isEqualTo("NOT verified: no key was given (--key)");
    }

    @Test
    void whatNodesSayThroughTheCenterDoesNotCount() throws Exception {
        AuditVerification verification = new AuditVerification();
        verification.trust(key.text());
        AuditHead head = database.read(AuditTree::head);
        verification.claim(new Claim("node a", "", head.number(), head.hash(), key.id(), Optional.empty()));
        AuditVerdict verdict = verification.verify(in(export()));
        assertThat(verdict.state()).isEqualTo(State.NOT_VERIFIED);
        assertThat(verdict.witnessed().lines())
                .anySatisfy(line -> assertThat(line).startsWith("through the center: until row 6 by 1 node"));
    }

    @Test
    void whatNodesSayThroughTheCenterCountsAgainstTheLog() throws Exception {
        AuditVerification verification = new AuditVerification();
        verification.trust(key.text());
        verification.witness("node a", witness);
        verification.claim(new Claim("node b", "", 4, "0".repeat(64), key.id(), Optional.empty()));
        AuditVerdict verdict = verification.verify(in(export()));
        assertThat(verdict.state()).isEqualTo(State.BROKEN);
        assertThat(verdict.conclusion()).startsWith("BROKEN: row 4: node b has witnessed another history");
    }

    @Test
    void namesTheFirstRowThatWasChanged() throws Exception {
        AuditVerdict verdict = verify(export().replace("\"reason\":\"reason 3\"", "\"reason\":\"another\""));
        assertThat(verdict.conclusion()).startsWith("BROKEN: row 4: changed");
        assertThat(verdict.firstBad()).hasValue(4);
        assertThat(verdict.integrity().good()).isFalse();
        assertThat(verdict.completeness().good()).isTrue();
    }

    @Test
    void noticesRowsThatWereRemoved() throws Exception {
        String whole = export();
        AuditVerdict middle = verify(without(whole, "\"row\":3,").replace("\"rows\":6", "\"rows\":5"));
        assertThat(middle.conclusion()).startsWith("BROKEN: row 3: missing");
        // A tail that was cut off with care: even the first and the last line agree.
        add(2);
        sign();
        String longer = export();
        String cut = without(without(longer, "\"row\":8,"), "\"checkpoint\":{\"size\":8,")
                .replace("{\"end\":8,\"rows\":8}", "{\"end\":7,\"rows\":7}")
                .replaceFirst("\"size\":8,\"root\":\"[0-9a-f]+\"", "\"size\":7,\"root\":\"" + root(7) + "\"")
                .replace("\"highest\":8", "\"highest\":7");
        assertThat(verify(cut).state()).isEqualTo(State.VERIFIED);
        witness = new HeldCheckpoint(key, sign()).toJson();
        assertThat(verify(cut).conclusion()).contains("BROKEN: row 8: missing: rows up to 8 were cut off");
    }

    @Test
    void noticesARowBeforeTheFirst() throws Exception {
        for (long number : new long[] {0, -7}) {
            sql("INSERT INTO command SELECT " + number
                    + ", at, actor, kind, reason, expected, body, salt, commitment, hash, origin, outcome, erased_by"
                    + " FROM command WHERE number = 3");
            assertThat(verify(export()).conclusion())
                    .startsWith("BROKEN: ")
                    .contains("inserted: a row has number " + number + ",");
        }
    }

    @Test
    void noticesAFileThatWasCutOff() throws Exception {
        String whole = export();
        for (int length : new int[] {whole.length() - 1, whole.length() - 30, whole.indexOf("\"row\":4") + 20}) {
            AuditVerdict verdict = verify(whole.substring(0, length));
            assertThat(verdict.state()).as("length " + length).isEqualTo(State.BROKEN);
            assertThat(verdict.completeness().good()).isFalse();
        }
        assertThat(verify(whole + whole).state()).isEqualTo(State.BROKEN);
    }

    @Test
    void aHistoryThatWasRewrittenWithTheRightKeyIsRefused() throws Exception {
        sql("UPDATE command SET actor = 'user:somebody' WHERE number = 2");
        database.write(client -> {
            client.sql("DELETE FROM audit_node").update();
            client.sql("UPDATE audit_head SET number = 0, frontier = ''").update();
            client.sql("DELETE FROM audit_checkpoint").update();
            client.sql("UPDATE command SET hash = ''").update();
            client.sql("UPDATE audit_head SET log = ''").update();
            log.addOldRows(client);
            client.sql("UPDATE audit_head SET log = ?").param(LOG).update();
            return true;
        });
        add(3);
        sign();
        AuditVerdict verdict = verify(export());
        assertThat(verdict.state()).isEqualTo(State.BROKEN);
        assertThat(verdict.integrity().good()).isTrue();
        assertThat(verdict.witnessed().good()).isFalse();
        assertThat(verdict.conclusion()).contains("node a has witnessed another history");
    }

    @Test
    void aFieldThatNoHashCoversIsRefused() throws Exception {
        for (String addition : List.of("\"note\":\"x\",\"row\":3,", "\"reason\":\"x\",\"row\":3,")) {
            AuditVerdict verdict = verify(export().replace("\"row\":3,", addition));
            assertThat(verdict.conclusion()).startsWith("BROKEN: ").contains("row 3");
        }
    }

    @Test
    void readsACompressedFileAndNoticesThatItWasCutOff() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
            zip.write(export().getBytes(StandardCharsets.UTF_8));
        }
        byte[] whole = bytes.toByteArray();
        AuditVerification verification = verification();
        assertThat(verification.verify(new ByteArrayInputStream(whole)).state()).isEqualTo(State.VERIFIED);
        byte[] cut = Arrays.copyOf(whole, whole.length - 40);
        assertThat(verification().verify(new ByteArrayInputStream(cut)).state()).isEqualTo(State.BROKEN);
    }

    @Test
    void saysThatAFileIsNoExport() {
        for (String text : List.of("", "x", "{}\n", "number,at\r\n")) {
            assertThatThrownBy(() -> verify(text))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("not an export of an audit log");
        }
    }

    @Test
    void anotherKeyIsNotTrusted() throws Exception {
        AuditVerification verification = new AuditVerification();
        verification.witness("node a", witness);
        verification.trust(LogKey.of(KeyPairGenerator.getInstance("Ed25519")
                        .generateKeyPair()
                        .getPublic())
                .text());
        assertThat(verification.verify(in(export())).state()).isEqualTo(State.BROKEN);
    }

    @Test
    void aWitnessFileHasTheKeyThatItsNodeTrusts() throws Exception {
        AuditVerification verification = new AuditVerification();
        verification.trust(witness + "\n");
        verification.witness("node a", witness + "\n");
        assertThat(verification.verify(in(export())).state()).isEqualTo(State.VERIFIED);
    }

    private AuditVerification verification() {
        AuditVerification verification = new AuditVerification();
        verification.trust(key.text());
        verification.witness("node a", witness);
        return verification;
    }

    private AuditVerdict verify(String export) throws IOException {
        return verification().verify(in(export));
    }

    private static ByteArrayInputStream in(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    private String export() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new AuditExport(database, clock).job(ExportFormat.JSONL).write(out);
        return out.toString(StandardCharsets.UTF_8);
    }

    private static String without(String text, String part) {
        List<String> lines = text.lines().filter(line -> !line.contains(part)).toList();
        assertThat(lines).hasSize((int) text.lines().count() - 1);
        return String.join("\n", lines) + "\n";
    }

    private String root(long size) {
        return database.read(client -> AuditTree.root(client, size)).orElseThrow();
    }

    private void add(int rows) {
        database.write(client -> {
            for (int i = 0; i < rows; i++) {
                long unused = log.add(client, Actor.CENTER, new Command.Act("test", "reason " + i, Map.of()));
            }
            return true;
        });
    }

    /** Signs the log as it is now, and stores the checkpoint. */
    private Checkpoint sign() throws GeneralSecurityException {
        AuditHead head = database.read(AuditTree::head);
        long at = clock.epochMicros() / 1000;
        Signature signer = Signature.getInstance("Ed25519");
        signer.initSign(pair.getPrivate());
        signer.update(Checkpoint.signedText(LOG, head.number(), head.hash(), at).getBytes(StandardCharsets.UTF_8));
        String signature = Base64.getEncoder().encodeToString(signer.sign());
        sql("DELETE FROM audit_checkpoint WHERE size = " + head.number());
        sql("INSERT INTO audit_checkpoint (size, root, at, key_id, signature) VALUES (" + head.number() + ", '"
                + head.hash() + "', " + at + ", '" + key.id() + "', '" + signature + "')");
        return new Checkpoint(LOG, head.number(), head.hash(), at, key.id(), signature);
    }

    private void sql(String statement) {
        int unused = database.write(client -> client.sql(statement).update());
    }
}
