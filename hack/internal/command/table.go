// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// TableFile is the name of the file that [WriteTable] writes.
const TableFile = "table.txt"

// WriteTable prints a table, and writes it to a file in a folder, which it makes.
func WriteTable(out io.Writer, dir, table string) error {
	fmt.Fprint(out, table)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, TableFile), []byte(table), 0o644); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}
