#include "antler/estimator/summary_writer.h"

#include "antler/antler.h"
#include "antler/io/event_reader.h"
#include "estimator/folder_test.h"

namespace antler::estimator {
namespace {

using SummaryFiles = FolderTest;

TEST_F(SummaryFiles, AProcessHasOneFilePerFolder) {
  const auto writer = SummaryWriter::of(path("run"));
  EXPECT_EQ(writer, SummaryWriter::of(path("./run/")));
  writer->scalar("loss", 0.5, 1);
  const std::string file = writer->path();
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_NE(std::filesystem::path(file).filename().string().find("events.out.tfevents."),
            std::string::npos);
}

TEST_F(SummaryFiles, TheFileGoesOnWhenNobodyHoldsItsWriter) {
  const std::string folder = path("run");
  SummaryWriter::of(folder)->scalar("loss", 1, 1);
  SummaryWriter::of(folder)->scalar("loss", 2, 2);
  EXPECT_EQ(io::event_files(folder).size(), 1U);
  EXPECT_EQ(io::read_scalars(folder).at("loss").values, (std::vector<double>{1, 2}));
}

TEST_F(SummaryFiles, ADeletedFolderIsMadeAgain) {
  const std::string folder = path("run");
  const auto old = SummaryWriter::of(folder);
  std::filesystem::remove_all(folder);
  SummaryWriter::of(folder)->scalar("loss", 3, 1);
  EXPECT_EQ(io::read_scalars(folder).at("loss").values, std::vector<double>{3});
}

TEST_F(SummaryFiles, EveryKindOfEventIsRead) {
  const auto writer = SummaryWriter::of(path());
  writer->summary(SummaryBuilder()
                      .scalar("loss", 0.25)
                      .tensor("matrix", Tensor::of<float>({1, 2}, {2}))
                      .text("where", "model.ckpt-1")
                      .histogram("weights", Tensor::of<float>({1, 2}, {2}))
                      .bytes(),
                  4);
  writer->session_log(SummaryWriter::SessionStatus::checkpoint, "model.ckpt", 5);
  writer->graph("");
  writer->meta_graph("");
  writer->summary("", 6);  // no values: no event
  writer->flush();
  const std::vector<io::Event> events = io::read_event_file(writer->path());
  ASSERT_EQ(events.size(), 5U);
  ASSERT_EQ(events[1].values.size(), 4U);
  EXPECT_EQ(events[1].values[0].number, 0.25);
  EXPECT_EQ(events[1].values[2].strings->values[0], "model.ckpt-1");
  EXPECT_TRUE(events[1].values[3].is_histogram);
  EXPECT_EQ(events[2].session_log->status, io::SessionLog::Status::checkpoint);
  EXPECT_EQ(events[2].session_log->checkpoint_path, "model.ckpt");
  EXPECT_EQ(events[2].step, 5);
  EXPECT_TRUE(events[3].has_graph);
  EXPECT_TRUE(events[4].has_meta_graph);
}

}  // namespace
}  // namespace antler::estimator
