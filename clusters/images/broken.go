// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package images

import (
	"fmt"
	"os"
	"strings"

	"github.com/draconform/draconform/internal/fault"
)

// init adds a fault to one of the suite's images if the environment selects
// one.
func init() {
	chosen, ok := os.LookupEnv(fault.Breaks)
	if !ok {
		return
	}
	which, name, _ := strings.Cut(chosen, "=")
	broken := map[string][]*Image{"scheduler": {&Scheduler}, "driver": {&Fakedriver}, "classic driver": {&Classic, &ClassicEarlier}}[which]
	if broken == nil {
		fmt.Fprintf(os.Stderr, "%s=%s: want scheduler=FAULT, driver=FAULT or classic driver=FAULT\n", fault.Breaks, chosen)
		os.Exit(2)
	}
	for _, image := range broken {
		image.Tags, image.Env = []string{fault.Tag}, []string{fault.Variable + "=" + name}
	}
}
