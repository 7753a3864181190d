package io.sluice.center.passkey;

import io.sluice.center.database.Database;
import io.sluice.center.people.Secrets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.web.webauthn.api.AuthenticatorTransport;
import org.springframework.security.web.webauthn.api.Bytes;
import org.springframework.security.web.webauthn.api.CredentialRecord;
import org.springframework.security.web.webauthn.api.ImmutableCredentialRecord;
import org.springframework.security.web.webauthn.api.ImmutablePublicKeyCose;
import org.springframework.security.web.webauthn.api.PublicKeyCredentialType;

/** The tables of passkeys. Every method runs within a transaction of the caller. */
final class PasskeyTable {

    private static final String SELECT = "SELECT p.id, p.account, p.credential, p.public_key, p.attestation,"
            + " p.signature_count, p.transports, p.backup_eligible, p.backed_up, p.label, p.created_at, p.used_at,"
            + " u.handle FROM passkey p JOIN passkey_user u ON u.account = p.account ";

    private PasskeyTable() {}

    /** Returns the name of an account that authenticators know. */
    static Optional<String> handle(JdbcClient client, long account) {
        return client.sql("SELECT handle FROM passkey_user WHERE account = ?")
                .param(account)
                .query(String.class)
                .optional();
    }

    /** Returns the account of a name that authenticators know. */
    static Optional<Long> account(JdbcClient client, String handle) {
        return client.sql("SELECT account FROM passkey_user WHERE handle = ?")
                .param(handle)
                .query(Long.class)
                .optional();
    }

    static void addHandle(JdbcClient client, long account, String handle) {
        client.sql("INSERT INTO passkey_user (account, handle) VALUES (?, ?)")
                .params(account, handle)
                .update();
    }

    /** Adds a passkey and returns its id. */
    static long add(JdbcClient client, long account, CredentialRecord credential, long now) {
        long id = Database.next(client, "passkey");
        client.sql("INSERT INTO passkey (id, account, credential_hash, credential, public_key, attestation,"
                        + " signature_count, transports, backup_eligible, backed_up, label, created_at, used_at)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)")
                .params(
                        id,
                        account,
                        hash(credential.getCredentialId()),
                        credential.getCredentialId().toBase64UrlString(),
                        new Bytes(credential.getPublicKey().getBytes()).toBase64UrlString(),
                        Objects.requireNonNull(credential.getAttestationObject())
                                .toBase64UrlString(),
                        credential.getSignatureCount(),
                        words(credential.getTransports()),
                        credential.isBackupEligible() ? 1 : 0,
                        credential.isBackupState() ? 1 : 0,
                        credential.getLabel(),
                        now)
                .update();
        return id;
    }

    /**
     * Records a use. The counter of the authenticator must have risen, unless the authenticator does not count.
     *
     * @return whether the counter is valid and the passkey still exists
     */
    static boolean use(JdbcClient client, Bytes credential, long count, long now) {
        return client.sql("UPDATE passkey SET signature_count = ?, used_at = ? WHERE credential_hash = ?"
                                + " AND (signature_count < ? OR (signature_count = 0 AND ? = 0))")
                        .params(count, now, hash(credential), count, count)
                        .update()
                == 1;
    }

    static Optional<Passkey> find(JdbcClient client, long id) {
        return client.sql(SELECT + "WHERE p.id = ?")
                .param(id)
                .query(PasskeyTable::row)
                .optional();
    }

    static Optional<Passkey> find(JdbcClient client, Bytes credential) {
        return client.sql(SELECT + "WHERE p.credential_hash = ?")
                .param(hash(credential))
                .query(PasskeyTable::row)
                .optional();
    }

    /** Returns the passkeys of an account, oldest first. */
    static List<Passkey> of(JdbcClient client, long account) {
        return client.sql(SELECT + "WHERE p.account = ? ORDER BY p.id")
                .param(account)
                .query(PasskeyTable::row)
                .list();
    }

    static void remove(JdbcClient client, long id) {
        client.sql("DELETE FROM passkey WHERE id = ?").param(id).update();
    }

    private static Passkey row(ResultSet row, int index) throws SQLException {
        CredentialRecord credential = ImmutableCredentialRecord.builder()
                .credentialType(PublicKeyCredentialType.PUBLIC_KEY)
                .credentialId(Bytes.fromBase64(row.getString(3)))
                .publicKey(new ImmutablePublicKeyCose(
                        Bytes.fromBase64(row.getString(4)).getBytes()))
                .attestationObject(Bytes.fromBase64(row.getString(5)))
                .signatureCount(row.getLong(6))
                .uvInitialized(true)
                .transports(transports(row.getString(7)))
                .backupEligible(row.getLong(8) != 0)
                .backupState(row.getLong(9) != 0)
                .label(row.getString(10))
                .userEntityUserId(Bytes.fromBase64(row.getString(13)))
                .build();
        return new Passkey(row.getLong(1), row.getLong(2), credential, row.getLong(11), row.getLong(12));
    }

    private static String hash(Bytes credential) {
        return Secrets.hash(credential.toBase64UrlString());
    }

    private static String words(Set<AuthenticatorTransport> transports) {
        return transports.stream()
                .map(AuthenticatorTransport::getValue)
                .filter(word -> word.matches("[a-z-]{1,20}"))
                .sorted()
                .limit(8)
                .collect(Collectors.joining(" "));
    }

    private static Set<AuthenticatorTransport> transports(String words) {
        return words.isEmpty()
                ? Set.of()
                : Arrays.stream(words.split(" ", -1))
                        .map(AuthenticatorTransport::valueOf)
                        .collect(Collectors.toSet());
    }
}
