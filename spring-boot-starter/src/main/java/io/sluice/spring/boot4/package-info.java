/** The parts of the auto-configuration that are written for Spring Boot 4: Spring Data's Redis, health, and HTTP clients. */
@NullMarked
package io.sluice.spring.boot4;

import org.jspecify.annotations.NullMarked;
