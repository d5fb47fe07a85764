// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package progress

import (
	"io"
	"os"
	"syscall"
	"unsafe"
)

// width returns the number of characters in a line of the terminal. It returns
// 80 if out is not a terminal.
func width(out io.Writer) int {
	const usual = 80
	f, ok := out.(*os.File)
	if !ok {
		return usual
	}
	var size struct{ rows, columns, x, y uint16 }
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	if errno != 0 || size.columns == 0 {
		return usual
	}
	return int(size.columns)
}
