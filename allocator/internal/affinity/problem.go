package affinity

import "fmt"

// Kind says why a device is not for a request.
type Kind int

// The kinds, in the order in which the KEP's filter meets them.
const (
	None         Kind = iota
	Unreadable        // The slice's declaration cannot be read.
	Unknown           // An active claim has values nobody knows.
	MissingEntry      // No entry targets the request.
	Duplicate         // Several do.
	Malformed         // It cannot be decoded.
	MissingKey        // It lacks a key.
	NonString         // It has a value that is no string.
	Mismatch          // Active claims have other values.
)

// Problem is why a device is not for a request. The zero value is no problem.
type Problem struct {
	Kind Kind
	// Key is the key that is missing or no string, or for which the values differ.
	Key string
	// Locked and Wanted are the values that differ.
	Locked, Wanted string
	// Err says more about what cannot be read.
	Err error
}

// Text describes the problem in the words of the KEP, where it has any, followed by what they leave open.
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
		return fmt.Sprintf("device %s is locked to incompatible affinity values: %s is %q, not %q", device, p.Key, p.Locked, p.Wanted)
	default:
		return fmt.Sprintf("sharing affinity problem %d", int(p.Kind))
	}
}
