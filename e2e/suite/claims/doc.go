// Package claims creates, reads and deletes ResourceClaims and what they refer
// to: ResourceClaimTemplates and DeviceClasses.
package claims
