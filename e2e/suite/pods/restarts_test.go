// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestRestartDelay(t *testing.T) {
	for n, want := range map[int32]time.Duration{
		0: 0, 1: 0, 2: 10 * time.Second, 3: 20 * time.Second, 6: 160 * time.Second, 7: 5 * time.Minute, 1000: 5 * time.Minute,
	} {
		NewWithT(t).Expect(restartDelay(n)).To(Equal(want), "restart %d", n)
	}
}
