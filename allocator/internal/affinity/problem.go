// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package affinity

import "fmt"

// Kind classifies why a device is not suitable for a request.
type Kind int

// Kinds of problems, in the order in which the filter in the KEP checks them.
const (
	None         Kind = iota
	Unreadable        // The declaration of the slice cannot be read.
	Unknown           // The values of an active claim are unknown.
	MissingEntry      // No entry targets the request.
	Duplicate         // Several entries target the request.
	Malformed         // The entry cannot be decoded.
	MissingKey        // The entry lacks a key.
	NonString         // A value of the entry is not a string.
	Mismatch          // Active claims have other values.
)

// Problem describes why a device is not suitable for a request. The zero value means that there is no problem.
type Problem struct {
	Kind Kind
	// Key is the key that is missing, whose value is not a string, or for which the values differ.
	Key string
	// Locked and Stated are the values of the lock and of the entry, which differ.
	Locked, Stated string
	// Err is the decoding error.
	Err error
}

// Text describes the problem with the messages of the KEP, where it defines one, followed by details.
func (p Problem) Text(request, device string) string {
	switch p.Kind {
	case None:
		return ""
	case Unreadable:
		return fmt.Sprintf("device %s has an invalid sharing affinity: %v", device, p.Err)
	case Unknown:
		return fmt.Sprintf("device %s has unknown affinity state due to legacy or invalid active claims", device)
	case MissingEntry:
		return fmt.Sprintf("missing required structured parameters for request %s", request)
	case Duplicate:
		return fmt.Sprintf("duplicate recognized %s entries for request %s", EntryKind, request)
	case Malformed:
		return fmt.Sprintf("invalid structured parameters for request %s: %v", request, p.Err)
	case MissingKey:
		return fmt.Sprintf("missing required key %s in structured parameters for request %s", p.Key, request)
	case NonString:
		return fmt.Sprintf("required key %s has a non-string value in alpha", p.Key)
	case Mismatch:
		return fmt.Sprintf("device %s is locked to incompatible affinity values: %s is %q, not %q", device, p.Key, p.Locked, p.Stated)
	default:
		return fmt.Sprintf("sharing affinity problem %d", int(p.Kind))
	}
}
