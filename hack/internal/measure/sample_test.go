// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestBusyIsTheTimeOfProgramsAndOfTheKernel(t *testing.T) {
	g := NewWithT(t)
	g.Expect(busy([]byte("cpu  100 10 50 9999 8888 3 2 7777 0 0\ncpu0 1 2 3\n"))).To(Equal(1650 * time.Millisecond))
	_, err := busy([]byte("intr 1 2 3\n"))
	g.Expect(err).To(MatchError(`read /proc/stat: unexpected line "intr 1 2 3"`))
}

func TestUsedMemoryIsWhatIsNotAvailable(t *testing.T) {
	g := NewWithT(t)
	g.Expect(usedMemory([]byte("MemTotal:  3000 kB\nMemFree: 1 kB\nMemAvailable: 1000 kB\n"))).To(BeNumerically("==", 2000<<10))
	_, err := usedMemory([]byte("MemTotal: 3000 kB\n"))
	g.Expect(err).To(MatchError("read /proc/meminfo: it has no MemTotal or no MemAvailable"))
}
