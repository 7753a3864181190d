package io.sluice.center.audit;

import io.sluice.runtime.witness.Checkpoint;
import io.sluice.runtime.witness.KeyChange;
import io.sluice.runtime.witness.LogKey;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** A log in memory, with keys and checkpoints, that a test can damage before it is verified. */
final class SignedLog {

    static final String ID = "0123456789abcdef0123456789abcdef";

    final List<LoggedRow> rows = new ArrayList<>();
    final List<Checkpoint> checkpoints = new ArrayList<>();
    final List<LoggedKey> keys = new ArrayList<>();
    final List<String> leaves = new ArrayList<>();
    KeyPair key = pair();

    SignedLog() {
        keys.add(new LoggedKey(LogKey.of(key.getPublic()), "", "", 1));
    }

    static KeyPair pair() {
        try {
            return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    SignedLog add(int count) {
        for (int i = 0; i < count; i++) {
            add("test", "{}");
        }
        return this;
    }

    void add(String kind, String body) {
        rows.add(row(leaves.size() + 1, kind, body));
        leaves.add(rows.get(rows.size() - 1).hash());
    }

    /** Adds a row that erased others, with a signature by any key. */
    void addErasure(KeyPair signedBy, List<Long> erased) {
        add(
                "erase_subject",
                "{\"erasure\":7,\"rows\":" + erased + "," + seal(signedBy, AuditSeal.erased(ID, 7, erased)) + "}");
    }

    /** Adds a row that tells that rows were pruned, with a signature by any key. */
    void addPruning(KeyPair signedBy, AuditSegment segment) {
        add(
                AuditCheck.PRUNE,
                "{\"first\":" + segment.first() + ",\"last\":" + segment.last() + ",\"root\":\"" + segment.root()
                        + "\"," + seal(signedBy, AuditSeal.pruned(ID, segment)) + "}");
    }

    private String seal(KeyPair signedBy, String text) {
        return "\"key\":\"" + LogKey.of(key.getPublic()).id() + "\",\"signature\":\"" + sign(signedBy, text) + "\"";
    }

    static LoggedRow row(long number, String kind, String body) {
        AuditRow row = new AuditRow(
                number,
                1_000 + number,
                "user:a",
                kind,
                0,
                AuditRow.DONE,
                AuditRow.commitment("salt" + number, "192.0.2.1", "why", body));
        return new LoggedRow(row, "salt" + number, "192.0.2.1", "why", body, row.hash(), 0);
    }

    /** Replaces a row by another, with a good hash. */
    void replace(int number, LoggedRow row) {
        rows.set(number - 1, row);
        leaves.set(number - 1, row.hash());
    }

    void erase(int number, long by) {
        LoggedRow row = rows.get(number - 1);
        rows.set(number - 1, new LoggedRow(row.row(), "", "", "", "", row.hash(), by));
    }

    AuditHead head(int size) {
        Frontier tree = Frontier.empty();
        leaves.subList(0, size).forEach(tree::add);
        return new AuditHead(size, tree.root());
    }

    Checkpoint checkpoint(int size) {
        AuditHead head = head(size);
        long at = 10_000L + size;
        LogKey by = LogKey.of(key.getPublic());
        return new Checkpoint(
                ID, size, head.hash(), at, by.id(), sign(key, Checkpoint.signedText(ID, size, head.hash(), at)));
    }

    SignedLog sign() {
        checkpoints.add(checkpoint(leaves.size()));
        return this;
    }

    /** Replaces the key, with a signature by any key. */
    SignedLog rotate(KeyPair signedBy) {
        LogKey before = LogKey.of(key.getPublic());
        key = pair();
        LogKey next = LogKey.of(key.getPublic());
        keys.add(new LoggedKey(
                next, before.id(), sign(signedBy, KeyChange.signedText(ID, before.id(), next)), keys.size() + 1));
        return this;
    }

    LogKey trusted() {
        return keys.get(0).key();
    }

    static String sign(KeyPair pair, String text) {
        try {
            Signature signature = Signature.getInstance("Ed25519");
            signature.initSign(pair.getPrivate());
            signature.update(text.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Begins a check that knows the keys and checkpoints. */
    AuditCheck check(Optional<LogKey> trusted) {
        AuditCheck check = new AuditCheck();
        check.log(ID);
        keys.forEach(check::key);
        checkpoints.forEach(check::checkpoint);
        trusted.ifPresent(check::trust);
        return check;
    }

    AuditReport finish(AuditCheck check) {
        rows.forEach(check::accept);
        return check.finish();
    }
}
