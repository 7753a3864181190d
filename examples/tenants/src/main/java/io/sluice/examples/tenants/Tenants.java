package io.sluice.examples.tenants;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class Tenants {

    public static void main(String[] args) {
        SpringApplication.run(Tenants.class, args);
    }

    @GetMapping("/api/report")
    String report(@AuthenticationPrincipal Member member) {
        return "The report of " + member.tenant() + ".\n";
    }
}
