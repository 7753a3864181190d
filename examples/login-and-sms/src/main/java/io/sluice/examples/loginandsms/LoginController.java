package io.sluice.examples.loginandsms;

import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Contains no rate limiting code. Requests that the rule {@code login} refuses do not arrive here. */
@RestController
class LoginController {

    record Login(String username, String password) {

        @Override
        public String toString() {
            return "a login";
        }
    }

    private final Accounts accounts;

    LoginController(Accounts accounts) {
        this.accounts = accounts;
    }

    @PostMapping(path = "/api/login", consumes = "application/json")
    ResponseEntity<Map<String, String>> login(@RequestBody Login login) {
        return accounts.matches(login.username(), login.password())
                ? ResponseEntity.ok(Map.of("message", "Welcome."))
                : ResponseEntity.status(HttpStatus.UNAUTHORIZED).body(Map.of("message", "Wrong name or password."));
    }
}
