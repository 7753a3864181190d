package io.sluice.center.passkey;

import io.sluice.center.people.Account;
import io.sluice.center.people.People;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.web.webauthn.api.Bytes;
import org.springframework.security.web.webauthn.api.ImmutablePublicKeyCredentialUserEntity;
import org.springframework.security.web.webauthn.api.PublicKeyCredentialUserEntity;
import org.springframework.security.web.webauthn.management.PublicKeyCredentialUserEntityRepository;

/** The accounts in the form that authenticators know. Thread-safe. */
final class PasskeyUsers implements PublicKeyCredentialUserEntityRepository {

    private final People people;

    PasskeyUsers(People people) {
        this.people = people;
    }

    @Override
    public @Nullable PublicKeyCredentialUserEntity findById(Bytes handle) {
        return people.database()
                .read(client -> PasskeyTable.account(client, handle.toBase64UrlString())
                        .flatMap(id -> people.accounts().find(client, id))
                        .map(account -> entity(account, handle)))
                .orElse(null);
    }

    @Override
    public @Nullable PublicKeyCredentialUserEntity findByUsername(String name) {
        return people.database().read(client -> find(client, name)).orElse(null);
    }

    @Override
    public void save(PublicKeyCredentialUserEntity user) {
        people.database().write(client -> {
            Account account = people.accounts().named(client, user.getName()).orElseThrow();
            PasskeyTable.addHandle(client, account.id(), user.getId().toBase64UrlString());
            return account;
        });
    }

    @Override
    public void delete(Bytes handle) {
        throw new UnsupportedOperationException("accounts are not removed");
    }

    /** Returns the entity of an account with its handle; empty if the account has no handle. */
    Optional<PublicKeyCredentialUserEntity> find(JdbcClient client, String name) {
        return people.accounts().named(client, name).flatMap(account -> PasskeyTable.handle(client, account.id())
                .map(handle -> entity(account, Bytes.fromBase64(handle))));
    }

    private static PublicKeyCredentialUserEntity entity(Account account, Bytes handle) {
        return ImmutablePublicKeyCredentialUserEntity.builder()
                .id(handle)
                .name(account.name())
                .displayName(account.displayName().isEmpty() ? account.name() : account.displayName())
                .build();
    }
}
