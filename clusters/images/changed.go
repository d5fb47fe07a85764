// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults || draconform_variants

package images

import (
	"fmt"
	"os"
	"strings"

	"github.com/draconform/draconform/internal/fault"
	"github.com/draconform/draconform/internal/variant"
)

// changeable are the images of which the environment can select changes.
var changeable = map[string][]*Image{"scheduler": {&Scheduler}, "driver": {&Fakedriver}, "classic driver": {&Classic, &ClassicEarlier}}

// init adds faults or variants to the suite's images if the environment selects
// some.
func init() {
	change(fault.Breaks, fault.Tag, fault.Variable)
	change(variant.Varies, variant.Tag, variant.Variable)
}

// change adds the changes that the environment variable selects to the images of a
// component. They are built with the tag, and switch the changes on by a variable.
func change(selected, tag, variable string) {
	chosen, ok := os.LookupEnv(selected)
	if !ok {
		return
	}
	component, names, _ := strings.Cut(chosen, "=")
	changed := changeable[component]
	if changed == nil {
		fmt.Fprintf(os.Stderr, "%s=%s: want scheduler=NAMES, driver=NAMES or classic driver=NAMES\n", selected, chosen)
		os.Exit(2)
	}
	for _, image := range changed {
		image.Tags, image.Env = []string{tag}, []string{variable + "=" + names}
	}
}
