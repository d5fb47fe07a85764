// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"regexp"
	"time"
)

// NewID returns a new id of a run, made of the time and a random suffix, and
// the suffix separately. The id is a valid label value and can be part of
// object names.
func NewID() (id, suffix string) {
	var random [2]byte
	// Read does not return an error: crypto/rand crashes the program instead.
	_, _ = rand.Read(random[:])
	suffix = hex.EncodeToString(random[:])
	return time.Now().UTC().Format("20060102-150405-") + suffix, suffix
}

var validID = regexp.MustCompile(`^\d{8}-\d{6}-([0-9a-f]{4})$`)

// ParseID returns the suffix of an id that [NewID] has returned.
func ParseID(id string) (suffix string, err error) {
	parts := validID.FindStringSubmatch(id)
	if parts == nil {
		return "", fmt.Errorf("%q is not the id of a run, such as 20060102-150405-a1b2", id)
	}
	return parts[1], nil
}
