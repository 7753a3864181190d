package io.sluice.center.passkey;

import com.webauthn4j.verifier.exception.MaliciousCounterValueException;
import io.sluice.center.command.Command;
import io.sluice.center.http.RequestAddress;
import io.sluice.center.people.Account;
import io.sluice.center.people.People;
import io.sluice.center.refusal.RefusedException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.webauthn.api.Bytes;
import org.springframework.security.web.webauthn.api.CredentialRecord;
import org.springframework.security.web.webauthn.management.UserCredentialRepository;

/** The passkeys of all accounts. Each change is logged in the same transaction. Thread-safe. */
final class PasskeyStore implements UserCredentialRepository {

    /** The maximum number of passkeys of an account. */
    static final int MOST = 20;

    private final People people;

    PasskeyStore(People people) {
        this.people = people;
    }

    List<Passkey> of(long account) {
        return people.database().read(client -> PasskeyTable.of(client, account));
    }

    /** Returns a passkey of an account that can be used. */
    Optional<Passkey> find(Bytes credential) {
        return people.database()
                .read(client -> PasskeyTable.find(client, credential).filter(passkey -> people.accounts()
                        .find(client, passkey.account())
                        .filter(account -> people.confirmations().isUsable(client, account))
                        .isPresent()));
    }

    /** Returns a passkey of any account. */
    Optional<Passkey> known(Bytes credential) {
        return people.database().read(client -> PasskeyTable.find(client, credential));
    }

    /** Returns the reason why the account of a passkey cannot be used; empty if it can. */
    Optional<String> problem(Passkey passkey) {
        return people.database().read(client -> people.accounts()
                .find(client, passkey.account())
                .flatMap(account -> people.confirmations().problem(client, account)));
    }

    @Override
    public @Nullable CredentialRecord findByCredentialId(Bytes credential) {
        return find(credential).map(Passkey::credential).orElse(null);
    }

    @Override
    public List<CredentialRecord> findByUserId(Bytes handle) {
        return people.database().read(client -> PasskeyTable.account(client, handle.toBase64UrlString())
                .map(account -> PasskeyTable.of(client, account).stream()
                        .map(Passkey::credential)
                        .toList())
                .orElse(List.of()));
    }

    /** Adds a passkey, or records the use of a known one. */
    @Override
    public void save(CredentialRecord credential) {
        long now = people.clock().epochMicros() / 1000;
        people.database().write(client -> {
            Optional<Passkey> known = PasskeyTable.find(client, credential.getCredentialId());
            if (known.isPresent()) {
                if (!PasskeyTable.use(client, credential.getCredentialId(), credential.getSignatureCount(), now)) {
                    // The library compares only with the count of the registration.
                    throw new MaliciousCounterValueException(
                            "the counter did not rise",
                            known.get().credential().getSignatureCount(),
                            credential.getSignatureCount());
                }
                return credential;
            }
            long owner = PasskeyTable.account(
                            client, credential.getUserEntityUserId().toBase64UrlString())
                    .orElseThrow();
            requireRoom(PasskeyTable.of(client, owner).size());
            long id = PasskeyTable.add(client, owner, credential, now);
            Account account = people.accounts().find(client, owner).orElseThrow();
            people.log()
                    .add(
                            client,
                            account.actor().at(RequestAddress.current()),
                            new Command.Act(
                                    "add_passkey",
                                    "",
                                    Map.of("account", owner, "passkey", id, "label", credential.getLabel())));
            return credential;
        });
    }

    static void requireRoom(int passkeys) {
        if (passkeys >= MOST) {
            throw RefusedException.conflict(
                    "passkeys: the account has " + passkeys + " (expected: fewer; remove one that is not used)");
        }
    }

    /**
     * Removes a passkey of an account and ends the account's other sessions, because one of them may belong to a thief.
     *
     * @param session the session that continues
     */
    Passkey remove(long owner, long id, String session) {
        return people.database().write(client -> {
            people.accounts().lockAll(client);
            Passkey passkey = PasskeyTable.find(client, id)
                    .filter(found -> found.account() == owner)
                    .orElseThrow(() -> RefusedException.missing("passkey " + id + ": unknown"));
            Account account = people.accounts().find(client, owner).orElseThrow();
            boolean isLast = PasskeyTable.of(client, owner).size() == 1;
            if (isLast && account.password().isEmpty() && account.origin().equals(Account.LOCAL)) {
                throw RefusedException.conflict("passkey " + id
                        + ": the only way of signing in (expected: another passkey or a password first)");
            }
            PasskeyTable.remove(client, id);
            people.sessions().endOthers(client, owner, session);
            people.log()
                    .add(
                            client,
                            account.actor().at(RequestAddress.current()),
                            new Command.Act(
                                    "remove_passkey",
                                    "",
                                    Map.of("account", owner, "passkey", id, "label", passkey.label())));
            return passkey;
        });
    }

    @Override
    public void delete(Bytes credential) {
        throw new UnsupportedOperationException("use remove");
    }
}
