// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package progress

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// paceFile returns the path of the file that stores the pace of this machine.
// It is empty if there is no user cache folder.
func paceFile() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "draconform", "pace")
}

// readPace reads the pace of earlier jobs. It returns 1 if there is none.
func readPace(file string) float64 {
	content, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return 1
	}
	pace, err := strconv.ParseFloat(strings.TrimSpace(string(content)), 64)
	if err != nil || !(pace > 0.05 && pace < 50) { // false for NaN, too
		return 1
	}
	return pace
}

// writePace stores a pace. Errors are ignored: the pace only improves
// estimates.
func writePace(file string, pace float64) {
	if file == "" || os.MkdirAll(filepath.Dir(file), 0o755) != nil {
		return
	}
	_ = os.WriteFile(file, strconv.AppendFloat(nil, pace, 'f', 2, 64), 0o644)
}
