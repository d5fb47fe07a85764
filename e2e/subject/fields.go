// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"fmt"
)

// Field is a part of the description of a kind of devices that not every driver
// has. Its value is the path in a driver file.
type Field string

// The fields that specs can need.
const (
	// ExclusiveParents is needed to request the parent of an exclusive device.
	ExclusiveParents Field = "roles.exclusive.parents"
	// ExclusiveConfigured is a configuration that containers see the effect of.
	ExclusiveConfigured Field = "roles.exclusive.configured"
	// PartitionParents is needed to request devices of one parent.
	PartitionParents Field = "roles.partitions.parents"
	// PartitionProfile is needed to request partitions of the same kind.
	PartitionProfile Field = "roles.partitions.profile"
	// PartitionBig is a second kind of partitions.
	PartitionBig Field = "roles.partitions.big"
	// PartitionMix is several kinds of partitions that fit on one parent.
	PartitionMix Field = "roles.partitions.mix"
	// PartitionFull is partitions that leave no room on one parent.
	PartitionFull Field = "roles.partitions.full"
	// MultiHostQuad is devices that span four nodes.
	MultiHostQuad Field = "roles.multiHost.quad"
	// MultiHostPart is what a container sees of its part of a device.
	MultiHostPart Field = "roles.multiHost.part"
	// MultiHostWithdrawn is a label that withdraws a node from the driver.
	MultiHostWithdrawn Field = "roles.multiHost.withdrawn"
	// SharedIdentity is needed to request a share of the same device.
	SharedIdentity Field = "roles.shared.identity"
	// SharedApart is two configurations that must not share a device.
	SharedApart Field = "roles.shared.apart"
	// SharedApartKeys is the attribute keys of these configurations.
	SharedApartKeys Field = "roles.shared.apart.keys"
	// SharedApartContradicts is a configuration that contradicts another one.
	SharedApartContradicts Field = "roles.shared.apart.contradicts"
)

// roles maps each kind to the path of its role in a driver file.
var roles = map[Kind]string{
	KindExclusive: "roles.exclusive", KindPartition: "roles.partitions", KindMultiHost: "roles.multiHost", KindShared: "roles.shared",
}

// Kinds returns all kinds of devices.
func Kinds() []Kind { return []Kind{KindExclusive, KindPartition, KindMultiHost, KindShared} }

// Fields returns the fields of a kind.
func (k Kind) Fields() []Field {
	switch k {
	case KindExclusive:
		return []Field{ExclusiveParents, ExclusiveConfigured}
	case KindPartition:
		return []Field{PartitionParents, PartitionProfile, PartitionBig, PartitionMix, PartitionFull}
	case KindMultiHost:
		return []Field{MultiHostQuad, MultiHostPart, MultiHostWithdrawn}
	case KindShared:
		return []Field{SharedIdentity, SharedApart, SharedApartKeys, SharedApartContradicts}
	}
	return nil
}

// Offers reports whether a driver offers devices of a kind.
func (s Subject) Offers(kind Kind) bool {
	switch kind {
	case KindExclusive:
		return s.Exclusive != nil
	case KindPartition:
		return s.Partitions != nil
	case KindMultiHost:
		return s.MultiHost != nil
	case KindShared:
		return s.Shared != nil
	}
	return false
}

// Has reports whether a field is described.
func (s Subject) Has(field Field) bool {
	exclusive, partitions, multiHost, shared := s.Exclusive, s.Partitions, s.MultiHost, s.Shared
	switch field {
	case ExclusiveParents:
		return exclusive != nil && exclusive.Parent != ""
	case ExclusiveConfigured:
		return exclusive != nil && exclusive.Configured != nil
	case PartitionParents:
		return partitions != nil && partitions.Parent != ""
	case PartitionProfile:
		return partitions != nil && partitions.Profile != ""
	case PartitionBig:
		return partitions != nil && partitions.Big.Driver != ""
	case PartitionMix:
		return partitions != nil && len(partitions.Mix) > 0
	case PartitionFull:
		return partitions != nil && len(partitions.Full) > 0
	case MultiHostQuad:
		return multiHost != nil && multiHost.Quad.Driver != ""
	case MultiHostPart:
		return multiHost != nil && multiHost.Part != nil
	case MultiHostWithdrawn:
		return multiHost != nil && multiHost.Withdrawn.Key != ""
	case SharedIdentity:
		return shared != nil && shared.Identity != ""
	case SharedApart:
		return shared != nil && shared.Apart != nil
	case SharedApartKeys:
		return shared != nil && shared.Apart != nil && len(shared.Apart.Keys) > 0
	case SharedApartContradicts:
		return shared != nil && shared.Apart != nil && shared.Apart.Contradicts.Opaque != nil
	}
	return false
}

// Missing returns a message about the first of the needed kinds that no driver
// offers, or an empty string. For drivers from a file it has the place where
// the file could describe the kind.
func (s Subject) Missing(needed []Kind) string {
	for _, kind := range needed {
		if s.Offers(kind) {
			continue
		}
		message := fmt.Sprintf("no driver offers devices of the kind %s", kind)
		if position := s.Positions[kind]; position != "" {
			message += fmt.Sprintf(": add %s to %s", roles[kind], position)
		}
		return message
	}
	return ""
}

// Lacks returns a message about the first of the needed fields that is not
// described, or an empty string. The kinds of the fields must be offered.
func (s Subject) Lacks(needed []Field) string {
	for _, field := range needed {
		if !s.Has(field) {
			return fmt.Sprintf("needs %s: add it to %s", field, s.positionOf(field))
		}
	}
	return ""
}

// positionOf returns where a driver file describes the kind of a field.
func (s Subject) positionOf(field Field) string {
	for _, kind := range Kinds() {
		for _, of := range kind.Fields() {
			if position := s.Positions[kind]; of == field && position != "" {
				return position
			}
		}
	}
	return "the driver file"
}
