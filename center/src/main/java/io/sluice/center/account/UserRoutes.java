package io.sluice.center.account;

import io.sluice.center.access.Access;
import io.sluice.center.access.Grant;
import io.sluice.center.access.GrantsJson;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.RequestBody;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.signin.PublicAddress;
import io.sluice.center.signin.SignInParts;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** The routes for the accounts that the caller manages. */
@RestController
public final class UserRoutes {

    private final Users users;
    private final Supplier<PublicAddress> address;

    UserRoutes(SignInParts parts) {
        this.users = new Users(parts.people());
        this.address = parts.address();
    }

    @GetMapping("/api/users")
    List<UserReply> list(@RequestAttribute(CurrentAccess.ACCESS) Access access) {
        return users.list(access).stream().map(UserReply::of).toList();
    }

    @GetMapping("/api/users/{id}")
    UserReply find(@RequestAttribute(CurrentAccess.ACCESS) Access access, @PathVariable("id") long id) {
        return UserReply.of(users.find(access, id));
    }

    /** Creates an account without a password. The link in the answer sets the password. */
    @PostMapping("/api/users")
    @ResponseStatus(HttpStatus.CREATED)
    UserReply create(@RequestAttribute(CurrentAccess.ACCESS) Access access, HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("user", "display_name", "email", "roles", "reason"));
        String name = RequestBody.string(body, "user", "");
        return reply(users.create(
                access,
                name,
                RequestBody.string(body, "display_name", name),
                RequestBody.string(body, "email", ""),
                roles(body).orElse(List.of()),
                RequestBody.string(body, "reason", "")));
    }

    @PutMapping("/api/users/{id}")
    UserReply change(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        JsonNode body =
                RequestBody.object(request, Set.of("display_name", "email", "roles", "disabled", "revision", "reason"));
        return UserReply.of(users.change(
                access,
                id,
                new Users.Edit(
                        text(body, "display_name"),
                        text(body, "email"),
                        roles(body),
                        body.has("disabled")
                                ? Optional.of(RequestBody.flag(body, "disabled", false))
                                : Optional.empty(),
                        RequestBody.number(body, "revision", 0),
                        RequestBody.string(body, "reason", ""))));
    }

    @DeleteMapping("/api/users/{id}")
    UserReply disable(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") long id,
            @RequestParam(name = "reason", defaultValue = "") String reason,
            HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("reason"));
        return UserReply.of(users.change(access, id, Users.Edit.disabling(RequestBody.string(body, "reason", reason))));
    }

    @PostMapping("/api/users/{id}/link")
    @ResponseStatus(HttpStatus.CREATED)
    UserReply link(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("reason"));
        return reply(users.link(access, id, RequestBody.string(body, "reason", "")));
    }

    private UserReply reply(Users.Linked linked) {
        return UserReply.of(linked.account(), SetUp.link(address.get(), linked.secret()));
    }

    private static Optional<String> text(JsonNode body, String field) {
        return body.has(field) ? Optional.of(RequestBody.string(body, field, "")) : Optional.empty();
    }

    private static Optional<List<Grant>> roles(JsonNode body) {
        JsonNode roles = body.get("roles");
        if (roles == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(GrantsJson.read(roles));
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalid(String.valueOf(e.getMessage()));
        }
    }
}
