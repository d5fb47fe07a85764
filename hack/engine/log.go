// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// logLines is the number of lines of a log in an error.
const logLines = 15

// noise matches lines of Docker's logs that do not contain the reason of an
// error.
var noise = regexp.MustCompile(`\blevel=(info|debug)\b`)

// withLog adds the last lines of a log to an error.
func withLog(err error, path string) error {
	content, readErr := os.ReadFile(path)
	if readErr != nil {
		return fmt.Errorf("%w (and its log cannot be read: %w)", err, readErr)
	}
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(string(content)), "\n"), noise.MatchString)
	if len(lines) > logLines {
		lines = lines[len(lines)-logLines:]
	}
	return fmt.Errorf("%w\nlast lines of %s:\n  %s", err, path, strings.Join(lines, "\n  "))
}
