package io.sluice.examples.loginandsms;

import io.sluice.spring.RateLimited;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/** Sends codes; wherever in the application somebody asks for one, the number's limits hold. */
@Service
class SmsCodes {

    private static final Logger LOG = LoggerFactory.getLogger(SmsCodes.class);

    /** Called only if a minute, an hour and a day all have room, and then counted in all three. */
    @RateLimited(rule = "sms", key = "#phone")
    void send(String phone) {
        // Here the provider would be called.
        LOG.info("code sent to {}", new Phone(phone));
    }
}
