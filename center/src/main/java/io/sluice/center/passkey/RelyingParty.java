package io.sluice.center.passkey;

import com.webauthn4j.verifier.exception.MaliciousCounterValueException;
import io.sluice.center.people.Account;
import io.sluice.center.people.People;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.signin.PublicAddress;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.webauthn.api.AuthenticatorAssertionResponse;
import org.springframework.security.web.webauthn.api.AuthenticatorAttestationResponse;
import org.springframework.security.web.webauthn.api.AuthenticatorSelectionCriteria;
import org.springframework.security.web.webauthn.api.Bytes;
import org.springframework.security.web.webauthn.api.PublicKeyCredential;
import org.springframework.security.web.webauthn.api.PublicKeyCredentialCreationOptions;
import org.springframework.security.web.webauthn.api.PublicKeyCredentialParameters;
import org.springframework.security.web.webauthn.api.PublicKeyCredentialRequestOptions;
import org.springframework.security.web.webauthn.api.PublicKeyCredentialRpEntity;
import org.springframework.security.web.webauthn.api.ResidentKeyRequirement;
import org.springframework.security.web.webauthn.api.UserVerificationRequirement;
import org.springframework.security.web.webauthn.jackson.WebauthnJacksonModule;
import org.springframework.security.web.webauthn.management.ImmutablePublicKeyCredentialCreationOptionsRequest;
import org.springframework.security.web.webauthn.management.ImmutablePublicKeyCredentialRequestOptionsRequest;
import org.springframework.security.web.webauthn.management.ImmutableRelyingPartyRegistrationRequest;
import org.springframework.security.web.webauthn.management.RelyingPartyAuthenticationRequest;
import org.springframework.security.web.webauthn.management.RelyingPartyPublicKey;
import org.springframework.security.web.webauthn.management.Webauthn4JRelyingPartyOperations;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The center as the relying party of passkeys. It requires that authenticators verify their user. Thread-safe. */
final class RelyingParty {

    private static final Logger LOG = LoggerFactory.getLogger(RelyingParty.class);

    private static final JsonMapper JSON =
            JsonMapper.builder().addModule(new WebauthnJacksonModule()).build();

    private static final AuthenticatorSelectionCriteria SELECTION = AuthenticatorSelectionCriteria.builder()
            .userVerification(UserVerificationRequirement.REQUIRED)
            .residentKey(ResidentKeyRequirement.PREFERRED)
            .build();

    private static final List<PublicKeyCredentialParameters> ALGORITHMS = List.of(
            PublicKeyCredentialParameters.EdDSA,
            PublicKeyCredentialParameters.ES256,
            PublicKeyCredentialParameters.RS256);

    private final People people;
    private final PasskeyStore store;
    private final PasskeyUsers users;
    private final Supplier<PublicAddress> address;
    private @Nullable Webauthn4JRelyingPartyOperations operations;

    RelyingParty(People people, PasskeyStore store, Supplier<PublicAddress> address) {
        this.people = people;
        this.store = store;
        this.users = new PasskeyUsers(people);
        this.address = address;
    }

    /** Options in the form that browsers accept, and their challenge. */
    record Options(Bytes challenge, String json) {}

    /** Returns the options with which an authenticator creates a passkey for an account. */
    Options creation(Account account) {
        PublicKeyCredentialCreationOptions options = operations()
                .createPublicKeyCredentialCreationOptions(
                        new ImmutablePublicKeyCredentialCreationOptionsRequest(authentication(account)));
        return new Options(options.getChallenge(), JSON.writeValueAsString(options));
    }

    /**
     * Returns the options with which an authenticator uses a passkey.
     *
     * @param account the account whose passkeys are accepted; empty for all accounts
     */
    Options request(Optional<Account> account) {
        PublicKeyCredentialRequestOptions options = operations()
                .createCredentialRequestOptions(new ImmutablePublicKeyCredentialRequestOptionsRequest(
                        account.map(RelyingParty::authentication).orElse(null)));
        return new Options(options.getChallenge(), JSON.writeValueAsString(options));
    }

    /** Parses the answer of an authenticator that created a passkey. */
    static PublicKeyCredential<AuthenticatorAttestationResponse> attestation(JsonNode credential) {
        return parse(credential, new TypeReference<>() {});
    }

    /** Parses the answer of an authenticator that used a passkey. */
    static PublicKeyCredential<AuthenticatorAssertionResponse> assertion(JsonNode credential) {
        return parse(credential, new TypeReference<>() {});
    }

    private static <T> T parse(JsonNode credential, TypeReference<T> type) {
        try {
            return Objects.requireNonNull(JSON.readValue(credential.toString(), type));
        } catch (JacksonException | IllegalArgumentException | NullPointerException e) {
            throw RefusedException.invalid(
                    "credential: not readable (expected: the PublicKeyCredential of the browser as JSON)");
        }
    }

    /** Checks the answer to a challenge and stores the new passkey. */
    Passkey register(
            Account account,
            Bytes challenge,
            PublicKeyCredential<AuthenticatorAttestationResponse> credential,
            String label) {
        PublicKeyCredentialCreationOptions options = PublicKeyCredentialCreationOptions.builder()
                .challenge(challenge)
                .rp(party())
                .user(Objects.requireNonNull(users.findByUsername(account.name())))
                .pubKeyCredParams(ALGORITHMS)
                .authenticatorSelection(SELECTION)
                .build();
        var unused = operations()
                .registerCredential(new ImmutableRelyingPartyRegistrationRequest(
                        options, new RelyingPartyPublicKey(credential, label)));
        return store.find(credential.getRawId()).orElseThrow();
    }

    /**
     * Checks the answer to a challenge and records the use of the passkey.
     *
     * @return the owner of the passkey
     */
    Account authenticate(
            Passkey passkey, Bytes challenge, PublicKeyCredential<AuthenticatorAssertionResponse> credential) {
        Bytes handle = credential.getResponse().getUserHandle();
        if (handle != null && !handle.equals(passkey.credential().getUserEntityUserId())) {
            throw new IllegalArgumentException("the passkey belongs to somebody else");
        }
        PublicKeyCredentialRequestOptions options = PublicKeyCredentialRequestOptions.builder()
                .challenge(challenge)
                .rpId(party().getId())
                .userVerification(UserVerificationRequirement.REQUIRED)
                .build();
        try {
            var unused = operations().authenticate(new RelyingPartyAuthenticationRequest(options, credential));
        } catch (MaliciousCounterValueException e) {
            LOG.warn(
                    "passkey {} of account {} was refused, because its counter went back; it may have been copied",
                    passkey.id(),
                    passkey.account());
            throw e;
        }
        return people.database()
                .read(client -> people.accounts().find(client, passkey.account()))
                .orElseThrow();
    }

    private static Authentication authentication(Account account) {
        return UsernamePasswordAuthenticationToken.authenticated(account.name(), "", List.of());
    }

    private PublicKeyCredentialRpEntity party() {
        return PublicKeyCredentialRpEntity.builder()
                .id(address.get().relyingParty().toLowerCase(Locale.ROOT))
                .name("Sluice")
                .build();
    }

    /** Returns the operations. They are created late, because the address is known only after the server listens. */
    private synchronized Webauthn4JRelyingPartyOperations operations() {
        if (operations == null) {
            operations = new Webauthn4JRelyingPartyOperations(
                    users, store, party(), Set.of(address.get().origin()));
            operations.setCustomizeCreationOptions(options -> options.authenticatorSelection(SELECTION)
                    .pubKeyCredParams(ALGORITHMS)
                    .timeout(Ceremonies.LIFE));
            operations.setCustomizeRequestOptions(
                    options -> options.userVerification(UserVerificationRequirement.REQUIRED)
                            .timeout(Ceremonies.LIFE));
        }
        return operations;
    }
}
