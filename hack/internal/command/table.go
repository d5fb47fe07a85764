// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// tableFile is the name of the file with the table.
const tableFile = "table.txt"

// WriteTable prints a table, and writes it to the file table.txt in a folder, which it
// makes.
func WriteTable(out io.Writer, dir, table string) error {
	fmt.Fprint(out, table)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, tableFile), []byte(table), 0o644); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}
