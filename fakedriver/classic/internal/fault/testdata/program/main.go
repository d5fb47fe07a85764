// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command program prints whether a fault is on.
package main

import (
	"fmt"

	"github.com/draconform/draconform/fakedriver/classic/internal/fault"
)

func main() { fmt.Print(fault.GivesDevicesTwice) }
