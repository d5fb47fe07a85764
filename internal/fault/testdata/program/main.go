// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command program prints whether its one fault is on.
package main

import (
	"fmt"

	"github.com/draconform/draconform/internal/fault"
)

func main() { fmt.Print(fault.PrefersSecond) }
