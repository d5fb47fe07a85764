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
	image := map[string]*Image{"scheduler": &Scheduler, "driver": &Fakedriver}[which]
	if image == nil {
		fmt.Fprintf(os.Stderr, "%s=%s: want scheduler=FAULT or driver=FAULT\n", fault.Breaks, chosen)
		os.Exit(2)
	}
	image.Tags, image.Env = []string{fault.Tag}, []string{fault.Variable + "=" + name}
}
