package io.sluice.examples.loginandsms;

import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class SmsController {

    record SmsRequest(Phone phone) {

        SmsRequest {
            if (phone == null) {
                throw new IllegalArgumentException("phone: none (expected: a number such as +86 138 0013 8000)");
            }
        }
    }

    private final SmsCodes codes;

    SmsController(SmsCodes codes) {
        this.codes = codes;
    }

    @PostMapping("/sms/send")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Map<String, String> send(@RequestBody SmsRequest request) {
        codes.send(request.phone().number());
        return Map.of("message", "A code is on its way to " + request.phone() + ".");
    }
}
