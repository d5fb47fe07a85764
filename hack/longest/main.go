// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command longest writes e2e/run/longest.txt, by which a run starts the specs that take
// longest first, from the reports of runs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/hack/internal/command"
)

func main() { command.Main(longest) }

func longest(_ context.Context, args []string, out io.Writer) error {
	f := flag.NewFlagSet("longest", flag.ContinueOnError)
	f.SetOutput(out)
	file := f.String("file", "e2e/run/longest.txt", "the file to write, or - for the standard output")
	if err := f.Parse(args); err != nil || f.NArg() == 0 {
		return errors.Join(fmt.Errorf("%w: give report.yaml of one run or more, best on a machine without other load", command.ErrUsage), err)
	}
	var reports []report.Report
	for _, path := range f.Args() {
		r, err := report.Read(path)
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	text := list(reports)
	if text == "" {
		return errors.New("no spec of these reports passed and took long")
	}
	if *file == "-" {
		_, err := io.WriteString(out, text)
		return err
	}
	return os.WriteFile(*file, []byte(text), 0o644)
}
