// Command program prints whether its one fault is on.
package main

import (
	"fmt"

	"github.com/draconform/draconform/internal/fault"
)

func main() { fmt.Print(fault.PrefersSecond) }
