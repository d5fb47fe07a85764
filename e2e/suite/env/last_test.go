// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// Guards that a request that fails at the end of the time is no error after others
// have succeeded, and is one if none has.
func TestGetLast(t *testing.T) {
	g := NewWithT(t)
	never := func(int) bool { return false }
	tries := 0
	last, err := GetLast(t.Context(), time.Second, func(context.Context) (int, error) {
		if tries++; tries > 1 {
			return 0, errors.New("rate limited")
		}
		return 7, nil
	}, never)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(last).To(Equal(7))
	g.Expect(tries).To(BeNumerically(">", 1))

	_, err = GetLast(t.Context(), time.Millisecond, func(context.Context) (int, error) { return 0, errors.New("forbidden") }, never)
	g.Expect(err).To(MatchError("forbidden"))

	last, err = GetLast(t.Context(), time.Minute, func(context.Context) (int, error) { return 3, nil }, func(n int) bool { return n == 3 })
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(last).To(Equal(3))
}
