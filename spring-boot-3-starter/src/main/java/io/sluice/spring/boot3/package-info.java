/** The parts of the auto-configuration that are written for Spring Boot 3.5: Spring Data's Redis, health, and HTTP clients. */
@NullMarked
package io.sluice.spring.boot3;

import org.jspecify.annotations.NullMarked;
