package io.sluice.examples.loginandsms;

import io.sluice.spring.RateLimited;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/** Sends codes. The limits of a phone number apply wherever the application calls this. */
@Service
class SmsCodes {

    private static final Logger LOG = LoggerFactory.getLogger(SmsCodes.class);

    /** Runs only if the minute, the hour and the day all have a permit left. The call is then counted in all three. */
    @RateLimited(rule = "sms", key = "#phone")
    void send(String phone) {
        // Call the SMS provider here.
        LOG.info("code sent to {}", new Phone(phone));
    }
}
