-- The tenant that the rule of an override or switch belonged to, because its id can be used again by another tenant. Empty if the rule
-- belonged to no tenant, and for those that were made before: they are shown only to those who see all rules.
ALTER TABLE adjustment ADD COLUMN tenant VARCHAR(300) NOT NULL DEFAULT '';
