// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/compare"
	"github.com/draconform/draconform/e2e/suite"
)

// errRegression states that a spec passed before and fails now. The output
// already reports it.
var errRegression = fmt.Errorf("a spec that passed before fails now: %w", errReported)

// differences are the differences between two runs as JSON and YAML.
type differences struct {
	Before comparedRun `json:"before"`
	Now    comparedRun `json:"now"`
	// Regressions are the ids of specs that passed before and fail now.
	Regressions []string        `json:"regressions"`
	Outcomes    []outcomeChange `json:"outcomes"`
	Times       []timeChange    `json:"times"`
	// New and Removed are the ids of specs of one of the runs only.
	New         []string      `json:"new"`
	Removed     []string      `json:"removed"`
	Environment []valueChange `json:"environment"`
}

type comparedRun struct {
	ID      string        `json:"id"`
	Verdict report.Result `json:"verdict"`
}

type outcomeChange struct {
	ID     string        `json:"id"`
	Before suite.Outcome `json:"before"`
	Now    suite.Outcome `json:"now"`
	// Reason is that of the second run.
	Reason string `json:"reason,omitempty"`
}

type timeChange struct {
	ID     string  `json:"id"`
	Before float64 `json:"beforeSeconds"`
	Now    float64 `json:"nowSeconds"`
}

type valueChange struct {
	Name   string `json:"name"`
	Before string `json:"before"`
	Now    string `json:"now"`
}

// differencesOf returns a comparison for programs. Lists without elements are empty,
// and not null.
func differencesOf(c compare.Comparison) differences {
	d := differences{
		Before: comparedRun{c.Before.Run.ID, c.Before.Verdict.Result}, Now: comparedRun{c.Now.Run.ID, c.Now.Verdict.Result},
		Regressions: []string{}, Outcomes: []outcomeChange{}, Times: []timeChange{}, New: ids(c.New), Removed: ids(c.Removed), Environment: []valueChange{},
	}
	for _, s := range c.Regressions() {
		d.Regressions = append(d.Regressions, s.Now.ID)
	}
	for _, s := range c.Outcomes {
		d.Outcomes = append(d.Outcomes, outcomeChange{s.Now.ID, s.Before.Outcome, s.Now.Outcome, s.Now.Reason})
	}
	for _, s := range c.Times {
		d.Times = append(d.Times, timeChange{s.Now.ID, s.Before.Seconds, s.Now.Seconds})
	}
	for _, e := range c.Environment {
		d.Environment = append(d.Environment, valueChange{e.Name, e.Before, e.Now})
	}
	return d
}

func ids(specs []report.Spec) []string {
	all := []string{}
	for _, s := range specs {
		all = append(all, s.ID)
	}
	return all
}

// compareRuns shows the differences between two runs. With the other formats,
// these are a part of the report of the second run.
func compareRuns(cmd *cobra.Command, before, now, output string) error {
	if output == "summary" {
		return usageError(errors.New("the summary is of one run, use another format to compare two"))
	}
	first, err := readRun(before)
	if err != nil {
		return err
	}
	second, err := readRun(now)
	if err != nil {
		return err
	}
	c := compare.Runs(first.Report, second.Report)
	second.Compared = &c
	switch output {
	case "text":
		err = c.Text(cmd.OutOrStdout())
	case "json", "yaml":
		_, err = printStructured(cmd, output, differencesOf(c))
	default:
		err = showRun(cmd, second, output)
	}
	if err != nil {
		return err
	}
	if len(c.Regressions()) > 0 {
		return errRegression
	}
	return nil
}
